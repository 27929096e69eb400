import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;

/** Receives callbacks. It answers 200 to genuine ones, and 401 with the reason to others. See ../README.md. */
public final class Receiver {
    private static final String SECRET = setting("SECRET", "");
    private static final String WEBHOOK_ID = setting("WEBHOOK_ID", "");
    private static final String BEARER = setting("BEARER", "");
    private static final int MAX_BYTES = 20_971_520;

    public static void main(String[] args) throws IOException {
        if (SECRET.isEmpty() && (WEBHOOK_ID.isEmpty() || BEARER.isEmpty())) {
            throw new IllegalArgumentException("Set SECRET, or WEBHOOK_ID and BEARER.");
        }
        findProblem(name -> null, new byte[0]); // A malformed secret ends the program now.
        int port = Integer.parseInt(setting("PORT", "4000"));
        HttpServer server = HttpServer.create(new InetSocketAddress(port), 0);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/", Receiver::receive);
        server.start();
        System.out.println("receiving at http://localhost:" + server.getAddress().getPort() + "/");
    }

    private static String findProblem(UnaryOperator<String> header, byte[] body) {
        return SECRET.isEmpty()
                ? Verify.findSignatureProblem(WEBHOOK_ID, BEARER, header, body)
                : Verify.findStandardWebhookProblem(SECRET, header, body, Instant.now());
    }

    private static void receive(HttpExchange exchange) throws IOException {
        UnaryOperator<String> header = exchange.getRequestHeaders()::getFirst;
        // There is no length if a proxy sends the body in chunks.
        String length = header.apply("content-length");
        boolean isLarge = length != null && (length.length() > 8 || Integer.parseInt(length) > MAX_BYTES);
        byte[] body = isLarge ? new byte[0] : exchange.getRequestBody().readNBytes(MAX_BYTES + 1);
        String problem = isLarge || body.length > MAX_BYTES ? "the body is too large" : findProblem(header, body);
        if (problem == null) System.out.println("genuine " + new String(body, StandardCharsets.UTF_8));
        byte[] text = problem == null ? new byte[0] : problem.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(problem == null ? 200 : 401, text.length == 0 ? -1 : text.length);
        exchange.getResponseBody().write(text);
        exchange.close();
    }

    private static String setting(String name, String otherwise) {
        String value = System.getenv(name);
        return value == null || value.isEmpty() ? otherwise : value;
    }
}
