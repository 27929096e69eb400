import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Runs ../vectors.json, or the file of the first argument. */
public final class Vectors {
    // Java has no JSON parser. The file has only strings without escapes, so these two patterns read it.
    private static final Pattern VECTOR = Pattern.compile("\\{[^{}]*\\{[^{}]*\\}[^{}]*\\}");
    private static final Pattern MEMBER = Pattern.compile("\"([^\"]+)\": \"([^\"]*)\"");

    public static void main(String[] args) throws IOException {
        String text = Files.readString(Path.of(args.length > 0 ? args[0] : "../vectors.json"));
        List<String> vectors = VECTOR.matcher(text).results().map(MatchResult::group).toList();
        int passed = 0;
        for (String json : vectors) {
            // As in a servlet's request, the case of a header's name does not matter.
            Map<String, String> vector = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
            MEMBER.matcher(json).results().forEach(one -> vector.put(one.group(1), one.group(2)));
            String expected = vector.get("expected");
            String result = resultOf(vector);
            if (result.equals(expected)) passed++;
            else System.out.println("FAILED " + vector.get("name") + ": expected " + expected + ", got " + result);
        }
        System.out.println(passed + " of " + vectors.size() + " vectors passed");
        System.exit(passed == vectors.size() ? 0 : 1);
    }

    private static String findProblem(Map<String, String> vector) {
        byte[] body = Base64.getDecoder().decode(vector.get("body_base64"));
        if (vector.get("scheme").equals("signature")) {
            return Verify.findSignatureProblem(vector.get("webhook_id"), vector.get("bearer"), vector::get, body);
        }
        Instant now = Instant.ofEpochSecond(Long.parseLong(vector.get("now")));
        return Verify.findStandardWebhookProblem(vector.get("secret"), vector::get, body, now);
    }

    private static String resultOf(Map<String, String> vector) {
        try {
            String problem = findProblem(vector);
            if (problem == null) return "genuine";
            return problem.equals(vector.get("reason")) ? "refused" : problem;
        } catch (IllegalArgumentException error) {
            return "error";
        }
    }
}
