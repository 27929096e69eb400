import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { unwrap } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { FormErrorList, TextField } from '../../components/fields.js';
import { QueryView, Skeleton } from '../../components/states.js';
import { type DeliveryWithPayload, useResend } from '../../resources/deliveries.js';
import { webhookQuery } from '../../resources/webhooks.js';
import { useApi } from '../../session/session.js';

type FixAddressDialogProps = { delivery: DeliveryWithPayload; onClose: () => void; onSent: () => void };

/** Changes the uri of the webhook, then resends the delivery. */
export function FixAddressDialog({ delivery, onClose, onSent }: FixAddressDialogProps) {
  const id = delivery.webhook_id;
  const query = useQuery(webhookQuery(useApi(), id));
  return (
    <Dialog title="Fix the address and send again" isOpen onClose={onClose}>
      <QueryView query={query} skeleton={<Skeleton height="9rem" />}>
        {({ uri }) => <AddressForm webhook={{ id, uri }} deliveryId={delivery.id} onClose={onClose} onSent={onSent} />}
      </QueryView>
      {query.error && query.data === undefined && <Button onClick={onClose}>Close</Button>}
    </Dialog>
  );
}

type AddressFormProps = {
  webhook: { id: string; uri: string };
  deliveryId: string;
  onClose: () => void;
  onSent: () => void;
};

function AddressForm({ webhook, deliveryId, onClose, onSent }: AddressFormProps) {
  const api = useApi();
  const queries = useQueryClient();
  // The user's input stays when the webhook is refetched.
  const [uri, setUri] = useState(webhook.uri);
  const resend = useResend(deliveryId, () => {
    onClose();
    onSent();
  });
  const save = useMutation({
    mutationFn: async () => {
      const params = { path: { id: webhook.id } };
      await unwrap(api.PATCH('/developer/webhooks/{id}', { params, body: { uri: uri.trim() } }));
      await queries.invalidateQueries({ queryKey: ['webhook', webhook.id] });
    },
    onSuccess: () => resend.mutate(),
  });
  const { uri: uriErrors, ...otherErrors } = save.error?.errors ?? {};
  const others = Object.values(otherErrors).flat();
  const messages = save.error && !uriErrors && others.length === 0 ? [save.error.message] : others;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!save.isPending && !resend.isPending) save.mutate();
      }}
    >
      <TextField
        label="Address (URL)"
        type="url"
        value={uri}
        onChange={setUri}
        errors={uriErrors}
        hint="The webhook uses it for all its callbacks, including pending retries."
        autoComplete="off"
        spellCheck={false}
        autoFocus
      />
      <FormErrorList
        messages={
          resend.error ? [`The address was saved, but the callback was not sent: ${resend.error.message}`] : messages
        }
      />
      <div className="actions">
        <Button type="submit" variant="primary" isBusy={save.isPending || resend.isPending}>
          Save and send again
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </form>
  );
}
