import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Replace the path of the aspect's source in its class by the path within the module:
 * ajc writes the absolute one, so that each directory would give another jar.
 */
class RelativeSource {

	public static void main(String[] arguments) throws IOException {
		Path module = Path.of(arguments[0]).toRealPath();
		Path type = module.resolve(arguments[1]);
		String absolute = constant(module.resolve(arguments[2]).toString());
		String relative = constant(arguments[2]);
		String bytes = Files.readString(type, StandardCharsets.ISO_8859_1);
		if (!bytes.contains(absolute) && !bytes.contains(relative)) {
			throw new IllegalStateException(type + " does not name its source");
		}
		Files.writeString(type, bytes.replace(absolute, relative), StandardCharsets.ISO_8859_1);
	}

	/* As in the constant pool: tag 1, two bytes of length, the text. Each byte is one character here. */
	private static String constant(String text) {
		byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
		return "\1" + (char) (bytes.length >> 8) + (char) (bytes.length & 0xff)
				+ new String(bytes, StandardCharsets.ISO_8859_1);
	}

}
