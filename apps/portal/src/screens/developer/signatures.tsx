import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
// Tests in test/e2e run these files.
import csharp from '../../../../../examples/verify/csharp/Verify.cs?raw';
import go from '../../../../../examples/verify/go/verify.go?raw';
import java from '../../../../../examples/verify/java/Verify.java?raw';
import node from '../../../../../examples/verify/node/verify.mjs?raw';
import php from '../../../../../examples/verify/php/verify.php?raw';
import python from '../../../../../examples/verify/python/verify.py?raw';
import ruby from '../../../../../examples/verify/ruby/verify.rb?raw';
import { unwrap } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { CodeBlock } from '../../components/code-block.js';
import { Segments } from '../../components/fields.js';
import { useWebhookChoices, WebhookField } from '../../resources/webhooks.js';
import { useApi, useHasScope } from '../../session/session.js';

const samples = { node, python, go, php, java, ruby, csharp };
type Language = keyof typeof samples;

const languages: { value: Language; label: string }[] = [
  { value: 'node', label: 'Node' },
  { value: 'python', label: 'Python' },
  { value: 'go', label: 'Go' },
  { value: 'php', label: 'PHP' },
  { value: 'java', label: 'Java' },
  { value: 'ruby', label: 'Ruby' },
  { value: 'csharp', label: 'C#' },
];

type SignaturesProps = { webhookId: string | undefined; onWebhook: (id: string) => void };

/** How a receiver verifies the signature of a callback. */
export function Signatures({ webhookId, onWebhook }: SignaturesProps) {
  const newest = useWebhookChoices().data?.webhooks[0];
  const [language, setLanguage] = useState<Language>('node');
  const id = webhookId ?? newest?.id;
  const label = languages.find(({ value }) => value === language)?.label ?? '';
  return (
    <>
      <p>
        Callbacks are signed unless the webhook turns this off. The header <code>webhook-signature</code> proves that a
        callback comes from this service and was not changed: <code>v1,</code> and the base64 of an HMAC-SHA256 over{' '}
        <code>webhook-id.webhook-timestamp.body</code>, with the signing secret as key. Libraries for Standard Webhooks
        verify it, too. The header <code>Signature</code> is the hexadecimal HMAC-SHA256 of the body with the id of the
        webhook as key.
      </p>
      <p>
        Use the exact bytes of the body, compare in constant time, and refuse old timestamps. Store{' '}
        <code>webhook-id</code> to detect a callback that arrives twice.
      </p>
      <div className="filters">
        <WebhookField label="Webhook" noneLabel="The newest webhook" value={webhookId ?? ''} onChange={onWebhook} />
      </div>
      {id === undefined ? (
        <p className="notice">Create a webhook to see its values here.</p>
      ) : (
        <SampleValues key={id} id={id} />
      )}
      <h2 className="sample-heading">Code</h2>
      <Segments label="Language" value={language} onChange={setLanguage} options={languages} />
      <div className="sample">
        <CodeBlock key={language} label={`Verify a callback in ${label}`} text={samples[language]} isUnmasked />
      </div>
    </>
  );
}

/** The environment variables of the sample code. The signing secret is fetched only on request. */
function SampleValues({ id }: { id: string }) {
  const api = useApi();
  const canWrite = useHasScope('write');
  const show = useMutation({
    mutationFn: () => unwrap(api.GET('/developer/webhooks/{id}/signing-secret', { params: { path: { id } } })),
    gcTime: 0,
  });
  const secret = show.data?.data.secret;
  return (
    <section aria-labelledby="values">
      <h2 id="values">Values of this webhook</h2>
      <p className="hint">Read them from the environment. Keep the secret out of your repository.</p>
      <CodeBlock label="Environment" text={`WEBHOOK_ID=${id}\nSECRET=${secret ?? '(shown on request)'}`} isUnmasked />
      {show.error && <p role="alert">{show.error.message}</p>}
      {canWrite && secret === undefined && (
        <Button isBusy={show.isPending} onClick={() => show.mutate()}>
          Show the signing secret
        </Button>
      )}
      {!canWrite && <p className="hint">This session may not see the signing secret.</p>}
    </section>
  );
}
