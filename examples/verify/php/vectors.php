<?php
// Runs ../vectors.json, or the file of the first argument.
require __DIR__ . '/verify.php';

function findProblem(array $vector): ?string
{
    $body = base64_decode($vector['body_base64']);
    return $vector['scheme'] === 'signature'
        ? findSignatureProblem($vector['webhook_id'], $vector['bearer'], $vector['headers'], $body)
        : findStandardWebhookProblem($vector['secret'], $vector['headers'], $body, (int) $vector['now']);
}

function resultOf(array $vector): string
{
    try {
        $problem = findProblem($vector);
    } catch (InvalidArgumentException) {
        return 'error';
    }
    if ($problem === null) {
        return 'genuine';
    }
    return $problem === ($vector['reason'] ?? null) ? 'refused' : $problem;
}

$vectors = json_decode(file_get_contents($argv[1] ?? __DIR__ . '/../vectors.json'), true);
$passed = 0;
foreach ($vectors as $vector) {
    $result = resultOf($vector);
    if ($result === $vector['expected']) {
        $passed++;
    } else {
        echo "FAILED {$vector['name']}: expected {$vector['expected']}, got $result\n";
    }
}
$count = count($vectors);
echo "$passed of $count vectors passed\n";
exit($passed === $count ? 0 : 1);
