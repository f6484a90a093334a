/** An application of a team that has the platform's starter. */
package com.acme.shop;
