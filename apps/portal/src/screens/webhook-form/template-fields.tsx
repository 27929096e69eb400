import { Button } from '../../components/button.js';
import { TextAreaField } from '../../components/fields.js';
import { Segments } from '../../components/segments.js';
import { indentJson } from '../../text/json.js';
import { type FormControls, templateProblem } from '../webhooks/form-values.js';

const choices = [
  { value: 'event', label: 'The event' },
  { value: 'template', label: 'A template' },
] as const;

/** Lets the user choose the body of callbacks: the event, or a template. */
export function TemplateFields({ form, change, errors }: FormControls) {
  const problem = templateProblem(form);
  return (
    <fieldset>
      <legend>Body</legend>
      <Segments
        label="Body"
        value={form.hasTemplate ? 'template' : 'event'}
        onChange={(choice) => change({ hasTemplate: choice === 'template' })}
        options={choices}
      />
      {form.hasTemplate ? (
        <div className="template">
          <TextAreaField
            label="Body template"
            value={form.template}
            onChange={(template) => change({ template })}
            errors={problem === undefined ? errors.payload : [problem]}
            hint="A JSON object. Placeholders in its strings are filled in. For SMS they name fields of the payload, such as {{mobile}}, for other events fields of the event, such as {{payload.to}}."
            rows={10}
            spellCheck={false}
            autoComplete="off"
          />
          <Button
            variant="quiet"
            disabled={problem !== undefined}
            onClick={() => change({ template: indentJson(form.template) })}
          >
            Indent
          </Button>
        </div>
      ) : (
        <p className="hint">
          The body is the payload for SMS. For other events, it has the event's name and the payload.
        </p>
      )}
    </fieldset>
  );
}
