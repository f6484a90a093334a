insert into stock (sku, price_cents, available) values
	('tea', 450, 1000),
	('cup', 1290, 200),
	('pot', 3990, 50);
