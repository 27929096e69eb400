import { Button } from '../../components/button.js';
import { FilterProblems } from '../../components/filter-problems.js';
import { NoPermission } from '../../components/states.js';
import { Page } from '../../layout/page.js';
import { choiceFilter, idFilter, useFilters } from '../../resources/filters.js';
import { WebhookField } from '../../resources/webhooks.js';
import { useHasScope } from '../../session/session-context.js';
import { NewReplay } from '../new-replay.js';
import { ReplayList } from '../replays.js';
import './replays.css';

const parsers = { webhook_id: idFilter, new: choiceFilter(['1']) };

/** The replays with their progress, and the form of a new one. */
export default function ReplaysScreen() {
  const { values, problems, change, clear } = useFilters(parsers);
  const canReplay = useHasScope('replay');
  const isNew = values.new === '1';
  const start = canReplay && !isNew && (
    <Button variant="primary" onClick={() => change({ new: '1' })}>
      New replay
    </Button>
  );
  return (
    <Page title="Replays" actions={start} subtitle="A replay sends many deliveries of a webhook again.">
      <FilterProblems problems={problems} onClear={clear} />
      {isNew && !canReplay && <NoPermission what="start replays" />}
      {isNew && canReplay && (
        <NewReplay
          key={values.webhook_id ?? ''}
          webhookId={values.webhook_id ?? ''}
          onClose={() => change({ new: undefined })}
        />
      )}
      {!isNew && (
        <div className="filters">
          <WebhookField
            label="Webhook"
            noneLabel="All webhooks"
            value={values.webhook_id ?? ''}
            onChange={(id) => change({ webhook_id: id })}
          />
        </div>
      )}
      <ReplayList webhookId={values.webhook_id} />
    </Page>
  );
}
