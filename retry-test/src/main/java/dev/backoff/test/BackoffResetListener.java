package dev.backoff.test;

import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.TestExecutionListener;

/** Let each test begin anew, before its own preparations. */
final class BackoffResetListener implements TestExecutionListener {

	/** The name of our configuration, which is there only with the starter. */
	static final String CONFIGURATION = "dev.backoff.test.BackoffTestConfiguration";

	@Override
	public void beforeTestMethod(TestContext context) {
		TestBackoff test = TestContextAnnotationUtils.findMergedAnnotation(context.getTestClass(), TestBackoff.class);
		if ((test == null || test.reset()) && context.hasApplicationContext()
				&& context.getApplicationContext().containsBean(CONFIGURATION)) {
			BackoffTestConfiguration.reset(context.getApplicationContext());
		}
	}

}
