package dev.backoff.benchmarks.startup;

import java.lang.management.ManagementFactory;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/** Start an application, in a process of its own, and print what that took. */
final class StartedApplication {

	private StartedApplication() {
	}

	/**
	 * Start it.
	 * @param args the contender, the number of beans, and whether it is a web application
	 * @throws ClassNotFoundException if there are not that many classes
	 */
	public static void main(String[] args) throws ClassNotFoundException {
		Contender contender = Contender.valueOf(args[0]);
		Class<?>[] beans = new Class<?>[Integer.parseInt(args[1])];
		WebApplicationType web = Boolean.parseBoolean(args[2]) ? WebApplicationType.SERVLET : WebApplicationType.NONE;
		OperatingSystemMXBean process = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
		ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		long thread = Thread.currentThread().getId();
		int classes = ManagementFactory.getClassLoadingMXBean().getLoadedClassCount();
		long bytes = threads.getThreadAllocatedBytes(thread);
		long processor = process.getProcessCpuTime();
		long started = System.nanoTime();
		for (int i = 0; i < beans.length; i++) {
			beans[i] = Class.forName(GeneratedBeans.PREFIX + i);
		}
		try (ConfigurableApplicationContext context = run(contender, beans, web)) {
			long nanos = System.nanoTime() - started;
			processor = process.getProcessCpuTime() - processor;
			bytes = threads.getThreadAllocatedBytes(thread) - bytes;
			classes = ManagementFactory.getClassLoadingMXBean().getLoadedClassCount() - classes;
			check(contender, context, beans);
			System.out.println(new Start(nanos, processor, bytes, classes).line());
		}
	}

	private static ConfigurableApplicationContext run(Contender contender, Class<?>[] beans, WebApplicationType web) {
		ApplicationContextInitializer<GenericApplicationContext> registering = (context) -> {
			for (Class<?> bean : beans) {
				context.registerBean(bean);
			}
		};
		return new SpringApplicationBuilder(contender.configuration()).initializers(registering)
			.web(web)
			.bannerMode(Banner.Mode.OFF)
			.run("--server.port=0", "--spring.jmx.enabled=false");
	}

	private static void check(Contender contender, ConfigurableApplicationContext context, Class<?>[] beans) {
		for (Class<?> type : beans) {
			Object bean = context.getBean(type);
			boolean right = contender.isProxied()
					? AopUtils.isCglibProxy(bean) && ((Advised) bean).getAdvisors().length == 1
					: bean.getClass() == type;
			if (!right) {
				throw new IllegalStateException(contender + " is not what is to be measured: " + bean.getClass());
			}
		}
	}

}
