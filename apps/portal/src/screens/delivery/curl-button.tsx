import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { unwrap } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { CodeBlock } from '../../components/code-block.js';
import { Dialog } from '../../components/dialog.js';
import { QueryView } from '../../components/query-view.js';
import { Skeleton } from '../../components/states.js';
import { useApi } from '../../session/session-context.js';

/** Shows the newest request as a curl command. */
export function CurlButton({ deliveryId }: { deliveryId: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Copy as curl</Button>
      <Dialog title="The request as a curl command" isOpen={isOpen} onClose={() => setOpen(false)}>
        <Command deliveryId={deliveryId} />
        <div className="actions">
          <Button onClick={() => setOpen(false)}>Close</Button>
        </div>
      </Dialog>
    </>
  );
}

function Command({ deliveryId: id }: { deliveryId: string }) {
  const api = useApi();
  const query = useQuery({
    queryKey: ['delivery', id, 'curl'],
    queryFn: async ({ signal }) => {
      const params = { path: { id } };
      return (await unwrap(api.GET('/developer/deliveries/{id}/curl', { params, signal }))).data.command;
    },
  });
  return (
    <>
      <p>
        Set the environment variable <code>RINGBACK_TOKEN</code> to the token that the receiver expects.
      </p>
      <QueryView query={query} skeleton={<Skeleton height="12rem" />}>
        {(command) => <CodeBlock label="Command" text={command} />}
      </QueryView>
    </>
  );
}
