<?php
// Pushes a delivery report over HTTP. It needs PHP 8 with ext-curl, and no package.

/**
 * Pushes one event, or a list of up to 1,000. Returns what became of each: ['id' => …, 'state' => 'accepted' or
 * 'duplicate']. It tries again while Ringback is away or answers 429 or 503: an event that was stored is recognised, so
 * nothing is sent twice. Throws RuntimeException with the answer if the events are refused.
 */
function pushEvents(string $baseUrl, string $platformToken, array $events, int $tries = 6): array
{
    for ($try = 1; ; $try++) {
        $retryAfter = null;
        $curl = curl_init("$baseUrl/events");
        curl_setopt_array($curl, [
            CURLOPT_POSTFIELDS => json_encode($events, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE),
            CURLOPT_HTTPHEADER => ["Authorization: Bearer $platformToken", 'Content-Type: application/json'],
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT => 30,
            CURLOPT_HEADERFUNCTION => function ($curl, string $line) use (&$retryAfter): int {
                if (preg_match('/^retry-after: *([0-9]+)/i', $line, $match)) {
                    $retryAfter = (int) $match[1];
                }
                return strlen($line);
            },
        ]);
        $answer = curl_exec($curl);
        $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
        $error = curl_error($curl);
        if ($answer !== false && $status === 202) {
            return json_decode($answer, true)['data'];
        }
        $isAway = $answer === false || in_array($status, [408, 429, 502, 503, 504], true);
        if (!$isAway || $try >= $tries) {
            throw new RuntimeException($answer === false ? "$baseUrl: $error" : "$baseUrl: $status $answer");
        }
        sleep(min(60, $retryAfter ?? 2 ** ($try - 1)));
    }
}

if (realpath($_SERVER['SCRIPT_FILENAME']) === __FILE__) {
    $messageId = $argv[1] ?? bin2hex(random_bytes(16)) . ':1';
    $event = [
        'event' => 'sms:message:status',
        'account_id' => getenv('ACCOUNT_ID'),
        'webhook_id' => getenv('WEBHOOK_ID'),
        'payload' => ['id' => $messageId, 'mobile' => '918921269000', 'status' => 'DELIVRD', 'credits' => '2.0000', 'units' => 2],
    ];
    // An id that is not known is left out, not sent as false.
    [$pushed] = pushEvents(getenv('BASE_URL'), getenv('PLATFORM_TOKEN'), [array_filter($event)]);
    echo "pushed $messageId: {$pushed['state']}\n";
}
