import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.function.UnaryOperator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Verifies callbacks. Copy this file: it needs Java 17 or newer and no library. */
public final class Verify {
    /** The maximum difference between {@code webhook-timestamp} and the clock of this machine. */
    private static final Duration TOLERANCE = Duration.ofSeconds(300);

    private Verify() {}

    /**
     * Checks the headers of Standard Webhooks. Returns what is wrong with the callback; null if it is genuine and recent.
     * {@code header} returns a header or null, such as {@code request::getHeader} of a servlet. {@code rawBody} is the body as received.
     *
     * @throws IllegalArgumentException if {@code secret} is not the signing secret of a webhook (whsec_…)
     */
    public static String findStandardWebhookProblem(
            String secret, UnaryOperator<String> header, byte[] rawBody, Instant now) {
        String base64 = secret.replaceFirst("^whsec_", "");
        if (!base64.matches("[A-Za-z0-9+/]+={0,2}")) {
            throw new IllegalArgumentException("The secret is not whsec_ and base64.");
        }
        byte[] key = Base64.getDecoder().decode(base64);
        String id = valueOf(header, "webhook-id");
        String timestamp = valueOf(header, "webhook-timestamp");
        String signatures = valueOf(header, "webhook-signature");
        if (id.isEmpty()) return "the webhook-id header is missing";
        if (timestamp.isEmpty()) return "the webhook-timestamp header is missing";
        if (signatures.isEmpty()) return "the webhook-signature header is missing";
        if (!timestamp.matches("[0-9]{1,12}")) return "the webhook-timestamp header is not a Unix timestamp";
        Instant sentAt = Instant.ofEpochSecond(Long.parseLong(timestamp));
        if (sentAt.isBefore(now.minus(TOLERANCE))) return "the webhook-timestamp header is too old";
        if (sentAt.isAfter(now.plus(TOLERANCE))) return "the webhook-timestamp header is in the future";
        byte[] sum = hmacSha256(key, bytes(id + "." + timestamp + "."), rawBody);
        String expected = "v1," + Base64.getEncoder().encodeToString(sum);
        // For 24 hours after a new secret was made, there are two signatures.
        for (String signature : signatures.split(" ")) {
            if (isEqual(signature, expected)) return null;
        }
        return "the webhook-signature header is wrong";
    }

    /**
     * Checks the headers Authorization and Signature. Returns what is wrong with the callback; null if both are right. The
     * key of Signature is the webhook's id, which is not secret: only {@code bearer} authenticates the caller. It is the
     * webhook's {@code secret} or, if it has none, the callback token of the account.
     *
     * @throws IllegalArgumentException if {@code webhookId} or {@code bearer} is empty
     */
    public static String findSignatureProblem(
            String webhookId, String bearer, UnaryOperator<String> header, byte[] rawBody) {
        if (webhookId.isEmpty() || bearer.isEmpty()) {
            throw new IllegalArgumentException("The webhook id or the bearer is empty.");
        }
        String expected = HexFormat.of().formatHex(hmacSha256(bytes(webhookId), rawBody));
        String authorization = valueOf(header, "authorization");
        String signature = valueOf(header, "signature");
        if (authorization.isEmpty()) return "the Authorization header is missing";
        if (!isEqual(authorization, "Bearer " + bearer)) return "the Authorization header is wrong";
        if (signature.isEmpty()) return "the Signature header is missing";
        return isEqual(signature, expected) ? null : "the Signature header is wrong";
    }

    private static byte[] hmacSha256(byte[] key, byte[]... parts) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            for (byte[] part : parts) mac.update(part);
            return mac.doFinal();
        } catch (GeneralSecurityException error) {
            throw new IllegalStateException(error); // Every Java has HmacSHA256.
        }
    }

    /** Compares in constant time. */
    private static boolean isEqual(String actual, String expected) {
        return MessageDigest.isEqual(bytes(actual), bytes(expected));
    }

    private static String valueOf(UnaryOperator<String> header, String name) {
        String value = header.apply(name);
        return value == null ? "" : value;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
