import { useMutation } from '@tanstack/react-query';
import { unwrap } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { CodeBlock } from '../../components/code-block.js';
import { useApi, useHasScope } from '../../session/session-context.js';

/** The environment variables of the sample code. The signing secret is fetched only on request. */
export function SampleValues({ id }: { id: string }) {
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
