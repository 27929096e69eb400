// Receives callbacks with Spring Boot 3. Copy ../../verify/java/Verify.java beside this file, and give it this package.
package example;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
@RestController
public class Application {
    private static final String SECRET = System.getenv("SECRET");

    public static void main(String[] args) {
        SpringApplication.run(Application.class, args);
    }

    // The signature covers the bytes as they came, so the body is a byte[].
    @PostMapping("/callbacks")
    public ResponseEntity<String> receive(
            @RequestHeader HttpHeaders headers, @RequestBody(required = false) byte[] body) {
        byte[] received = body == null ? new byte[0] : body;
        String problem = Verify.findStandardWebhookProblem(SECRET, headers::getFirst, received, Instant.now());
        if (problem != null) return ResponseEntity.status(401).body(problem);
        System.out.println("genuine " + new String(received, StandardCharsets.UTF_8));
        return ResponseEntity.ok().build();
    }
}
