import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import ringback.client.ApiClient;
import ringback.client.api.DeliveriesApi;
import ringback.client.api.EventsApi;
import ringback.client.api.SigningApi;
import ringback.client.api.WebhooksApi;
import ringback.client.model.Attempt;
import ringback.client.model.DeliveryDetail;
import ringback.client.model.Event;
import ringback.client.model.ListWebhooksResponse;
import ringback.client.model.SentRequest;
import ringback.client.model.WebhookInput;

/** Creates webhooks, lists all pages, rotates a signing secret, sends a delivery again and verifies its callback. */
public final class Tour {
    public static void main(String[] args) throws Exception {
        ApiClient client = clientOf("TOKEN");
        WebhooksApi webhooks = new WebhooksApi(client);
        DeliveriesApi deliveries = new DeliveriesApi(client);

        // Create.
        List<UUID> created = new ArrayList<>();
        for (int number = 0; number < 3; number++) {
            WebhookInput input = new WebhookInput().name("java " + number).uri(System.getenv("CALLBACK_URI"));
            created.add(webhooks.createWebhook(input.status(WebhookInput.StatusEnum.NUMBER_1), null).getData().getId());
        }
        UUID id = created.get(0);

        // List all pages.
        List<UUID> listed = new ArrayList<>();
        long page = 1;
        ListWebhooksResponse answer;
        do {
            answer = webhooks.listWebhooks(page, 2, "java", null);
            answer.getData().forEach(webhook -> listed.add(webhook.getId()));
        } while (page++ < answer.getMeta().getLastPage());
        check(new HashSet<>(listed).equals(new HashSet<>(created)) && listed.size() == 3, "list");

        // Rotate the signing secret.
        String secret = new SigningApi(client).rotateSigningSecret(id).getData().getSecret();

        // Push an event, as the platform does, and wait for its delivery.
        Event event = new Event().event(Event.EventEnum.SMS_MESSAGE_STATUS).webhookId(id);
        event.payload(Map.of("id", "java-1", "status", "DELIVRD"));
        new EventsApi(clientOf("PLATFORM_TOKEN")).pushEvents(List.of(event), null);
        List<String> states = List.of("delivered", "failed");
        UUID delivery = waitFor(() -> {
            var found = deliveries.listDeliveries(null, null, id, states, null, null, null, null, null, null, null);
            return found.getData().isEmpty() ? null : found.getData().get(0).getId();
        });

        // Send it again.
        deliveries.resendDelivery(delivery);
        SentRequest request = waitFor(() -> {
            DeliveryDetail shown = deliveries.showDelivery(delivery).getData();
            List<Attempt> attempts = shown.getAttempts();
            boolean isSent = shown.getState() == DeliveryDetail.StateEnum.DELIVERED && attempts.size() == 2;
            return isSent ? attempts.get(1).getRequest() : null;
        });

        // Verify: a receiver does this with the headers and the raw body that it gets.
        Map<String, String> headers = request.getHeaders();
        String body = request.getBody();
        byte[] signature = HexFormat.of().parseHex(headers.get("Signature"));
        check(MessageDigest.isEqual(signature, mac(id.toString().getBytes(StandardCharsets.UTF_8), body)), "Signature");
        byte[] key = Base64.getDecoder().decode(secret.substring("whsec_".length()));
        String signed = headers.get("webhook-id") + "." + headers.get("webhook-timestamp") + "." + body;
        String expected = "v1," + Base64.getEncoder().encodeToString(mac(key, signed));
        check(Arrays.asList(headers.get("webhook-signature").split(" ")).contains(expected), "webhook-signature");
        System.out.printf("created %d, listed %d, rotated, resent, verified%n", created.size(), listed.size());
    }

    private static ApiClient clientOf(String token) {
        ApiClient client = new ApiClient();
        client.updateBaseUri(System.getenv("BASE_URL"));
        String bearer = "Bearer " + System.getenv(token);
        client.setRequestInterceptor(request -> request.header("Authorization", bearer));
        return client;
    }

    private static byte[] mac(byte[] key, String text) throws Exception {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
    }

    private static <T> T waitFor(Callable<T> look) throws Exception {
        for (int tries = 0; tries < 600; tries++) {
            T found = look.call();
            if (found != null) return found;
            Thread.sleep(100);
        }
        throw new IllegalStateException("waited too long");
    }

    private static void check(boolean isTrue, String what) {
        if (!isTrue) throw new IllegalStateException("wrong " + what);
    }
}
