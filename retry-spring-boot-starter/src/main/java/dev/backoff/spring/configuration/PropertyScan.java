package dev.backoff.spring.configuration;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.env.PropertySourceInfo;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * One pass over the property sources of an application. It collects the keys below
 * {@code backoff} source by source, and the names of policies, breakers and budgets as
 * the sources spell them. Names are compared by letters and digits only.
 */
final class PropertyScan {

	private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("backoff");

	/*
	 * A name with other letters than those of ASCII, which Boot removes outside brackets.
	 */
	private static final Pattern NAME = Pattern
		.compile("^([^.\\[]+\\.[^.\\[]+)\\.([^.\\[\\]]*[^\\p{ASCII}.\\[\\]][^.\\[\\]]*)");

	private final List<Supplier<List<SourceProperty>>> sources = new ArrayList<>();

	private final Map<Section, Map<Name, Name>> names = new HashMap<>();

	PropertyScan(ConfigurableEnvironment environment) {
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
			Object underlying = source.getUnderlyingSource();
			if (underlying instanceof SystemEnvironmentPropertySource variables) {
				this.sources.add(() -> variables(variables));
			}
			else if (source instanceof IterableConfigurationPropertySource
					&& underlying instanceof EnumerablePropertySource<?> enumerable) {
				List<SourceProperty> keys = listed(enumerable);
				this.sources.add(() -> keys);
			}
			else if (source.containsDescendantOf(ROOT) != ConfigurationPropertyState.ABSENT) {
				this.sources.add(() -> lookUp(source));
			}
		}
	}

	/* Those of variables and of what cannot be listed depend on names in all others. */
	List<List<SourceProperty>> keys() {
		return this.sources.stream().map(Supplier::get).toList();
	}

	/** Return a name in its first spelling, or as given if only variables have it. */
	Name spelled(Section section, String name) {
		return names(section).getOrDefault(Name.of(name), Name.of(name));
	}

	/** Return the first spellings by section. */
	Map<Section, Map<Name, Name>> names() {
		return this.names;
	}

	private Map<Name, Name> names(Section section) {
		return this.names.computeIfAbsent(section, (any) -> new LinkedHashMap<>());
	}

	/*
	 * Not by way of Boot's names: two spellings of one key are equal there, and the
	 * second would get the value and the line of the first.
	 */
	private List<SourceProperty> listed(EnumerablePropertySource<?> source) {
		List<SourceProperty> keys = new ArrayList<>();
		for (String property : source.getPropertyNames()) {
			// Boot allows a dash in any word
			boolean ours = property.regionMatches(true, 0, "back", 0, "back".length());
			ConfigurationPropertyName name = ours
					? ConfigurationPropertyName.adapt(NAME.matcher(property).replaceFirst("$1[$2]"), '.') : null;
			Object value = (name != null && ROOT.isAncestorOf(name)) ? source.getProperty(property) : null;
			if (name != null && value != null) {
				SourceProperty key = SourceProperty.of(name, value, PropertySourceOrigin.get(source, property));
				if (key.section().isNamed()) {
					names(key.section()).putIfAbsent(Name.of(key.name()), Name.of(key.name()));
				}
				keys.add(key);
			}
		}
		return keys;
	}

	private List<SourceProperty> variables(SystemEnvironmentPropertySource source) {
		// as Spring Boot, which drops a dash or writes an underscore
		Pattern prefix = Pattern.compile((source instanceof PropertySourceInfo info && info.getPrefix() != null)
				? info.getPrefix().replace("-", "_?").replace('.', '_') + "_" : "", Pattern.CASE_INSENSITIVE);
		List<SourceProperty> keys = new ArrayList<>();
		for (String variable : source.getPropertyNames()) {
			Matcher start = prefix.matcher(variable);
			VariableName name = start.lookingAt() ? VariableName.of(variable.substring(start.end()),
					(section, defined) -> names(section).containsKey(defined)) : null;
			// not from its map, where the value may be encrypted
			Object value = (name != null) ? source.getProperty(variable) : null;
			if (name != null && value != null) {
				keys.add(new SourceProperty(name.path(), name.index(), "backoff." + String.join(".", name.path()),
						List.of(String.valueOf(value).strip()), "the environment variable " + variable));
			}
		}
		return keys;
	}

	/** Ask a source that cannot list its keys for each key that it can have. */
	private List<SourceProperty> lookUp(ConfigurationPropertySource source) {
		List<SourceProperty> keys = new ArrayList<>();
		for (Section section : Section.ALL) {
			ConfigurationPropertyName parent = ROOT.append(section.key());
			if (!section.isNamed()) {
				section.keyTexts().forEach((key) -> lookUp(source, parent.append(key), keys));
			}
			for (Name known : names(section).values()) {
				String name = known.toString();
				boolean plain = name.indexOf('.') < 0 && ConfigurationPropertyName.isValid(name);
				ConfigurationPropertyName entry = parent.append(plain ? name : "[" + name + "]");
				section.keyTexts().forEach((key) -> lookUp(source, entry.append(key), keys));
			}
		}
		return keys;
	}

	private static void lookUp(ConfigurationPropertySource source, ConfigurationPropertyName name,
			List<SourceProperty> keys) {
		if (!add(source, name, keys)) {
			int index = 0;
			while (add(source, name.append("[" + index + "]"), keys)) {
				index++;
			}
		}
	}

	private static boolean add(ConfigurationPropertySource source, ConfigurationPropertyName name,
			List<SourceProperty> keys) {
		ConfigurationProperty property = source.getConfigurationProperty(name);
		if (property != null) {
			keys.add(SourceProperty.of(name, property.getValue(), property.getOrigin()));
		}
		return property != null;
	}

}
