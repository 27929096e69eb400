<?php
// Verifies a callback by `Signature` and `Authorization`, with nothing to install.

/** $rawBody: the bytes as received. */
function isGenuine(string $rawBody, string $authorization, string $signature, string $webhookId, string $bearer): bool
{
    return hash_equals("Bearer $bearer", $authorization)
        && hash_equals(hash_hmac('sha256', $rawBody, $webhookId), $signature);
}

// As a program: the body on stdin, the two headers as arguments, WEBHOOK_ID and BEARER in the environment. On a web server the
// body is file_get_contents('php://input'), and the headers are $_SERVER['HTTP_AUTHORIZATION'] and $_SERVER['HTTP_SIGNATURE'].
if (PHP_SAPI === 'cli' && realpath($argv[0]) === __FILE__) {
    $body = stream_get_contents(STDIN);
    $genuine = isGenuine($body, $argv[1] ?? '', $argv[2] ?? '', (string) getenv('WEBHOOK_ID'), (string) getenv('BEARER'));
    echo $genuine ? "genuine\n" : "not genuine\n";
    exit($genuine ? 0 : 1);
}
