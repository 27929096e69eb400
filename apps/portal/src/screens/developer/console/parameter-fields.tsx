import { TextField } from '../../../components/field.js';
import { useWebhookChoices } from '../../../data/webhook-choices.js';
import { printable } from '../../../text/printable.js';
import type { Operation, Parameter } from '../api-document.js';

type ParameterFieldsProps = {
  operation: Operation;
  values: Record<string, string>;
  onChange: (name: string, value: string) => void;
  /** The names of the required parameters that are empty. */
  missing: readonly string[];
};

const webhookList = 'console-webhooks';

/** The fields of the parameters. Fields for a webhook's id suggest the newest 100. */
export function ParameterFields({ operation, values, onChange, missing }: ParameterFieldsProps) {
  const { webhooks = [] } = useWebhookChoices().data ?? {};
  const render = (parameter: Parameter) => (
    <TextField
      key={parameter.name}
      label={parameter.required ? `${parameter.name} (required)` : parameter.name}
      hint={parameter.description?.replaceAll('`', '')}
      value={values[parameter.name] ?? ''}
      onChange={(value) => onChange(parameter.name, value)}
      errors={missing.includes(parameter.name) ? ['This parameter is required.'] : []}
      list={isWebhookId(operation, parameter) ? webhookList : undefined}
      autoComplete="off"
      spellCheck={false}
    />
  );
  const optional = operation.parameters.filter(({ required }) => !required);
  return (
    <>
      {operation.parameters.filter(({ required }) => required).map(render)}
      {optional.length > 0 && (
        <details className="console-query" open={optional.length < 4}>
          <summary>Optional parameters ({optional.length})</summary>
          {optional.map(render)}
        </details>
      )}
      <datalist id={webhookList}>
        {webhooks.map(({ id, name }) => (
          <option key={id} value={id} label={printable(name)} />
        ))}
      </datalist>
    </>
  );
}

const isWebhookId = ({ path }: Operation, { name, in: location }: Parameter) =>
  name === 'filter[webhook_id]' || (location === 'path' && path.startsWith('/developer/webhooks/'));
