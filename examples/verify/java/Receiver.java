import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;

/** Receives callbacks. It answers 200 to genuine ones and 401 to others. See ../README.md for its settings. */
public final class Receiver {
    private static final String SECRET = setting("SECRET", "");
    private static final String WEBHOOK_ID = setting("WEBHOOK_ID", "");
    private static final String BEARER = setting("BEARER", "");

    public static void main(String[] args) throws IOException {
        if (SECRET.isEmpty() && (WEBHOOK_ID.isEmpty() || BEARER.isEmpty())) {
            throw new IllegalArgumentException("Set SECRET, or WEBHOOK_ID and BEARER.");
        }
        isGenuine(name -> null, new byte[0]); // A malformed secret ends the program now.
        int port = Integer.parseInt(setting("PORT", "4000"));
        HttpServer server = HttpServer.create(new InetSocketAddress(port), 0);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/", Receiver::receive);
        server.start();
        System.out.println("receiving at http://localhost:" + server.getAddress().getPort() + "/");
    }

    private static boolean isGenuine(UnaryOperator<String> header, byte[] body) {
        return SECRET.isEmpty()
                ? Verify.verifySignature(WEBHOOK_ID, BEARER, header, body)
                : Verify.verifyStandardWebhook(SECRET, header, body, Instant.now());
    }

    private static void receive(HttpExchange exchange) throws IOException {
        UnaryOperator<String> header = exchange.getRequestHeaders()::getFirst;
        String length = header.apply("content-length");
        // Callbacks have a Content-Length.
        boolean isSmall = length != null && length.length() <= 8 && Integer.parseInt(length) <= 20_971_520;
        byte[] body = isSmall ? exchange.getRequestBody().readAllBytes() : new byte[0];
        boolean genuine = isSmall && isGenuine(header, body);
        if (genuine) System.out.println("genuine " + new String(body, StandardCharsets.UTF_8));
        exchange.sendResponseHeaders(genuine ? 200 : 401, -1);
        exchange.close();
    }

    private static String setting(String name, String otherwise) {
        String value = System.getenv(name);
        return value == null || value.isEmpty() ? otherwise : value;
    }
}
