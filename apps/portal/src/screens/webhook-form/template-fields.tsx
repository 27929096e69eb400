import { Segments } from '../../components/segments.js';
import { TextAreaField } from '../../components/field.js';
import { indentJson } from '../../text/json.js';
import { Button } from '../../components/button.js';
import { type FormControls, templateProblem } from './form-state.js';

const choices = [
  { value: 'event', label: 'The event' },
  { value: 'template', label: 'A template' },
] as const;

/** What the body of a callback is: the event, or a template. */
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
            hint="A JSON object. {{mobile}} in a text is replaced by that field of the event; {{payload.to}} reaches inside."
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
        <p className="hint">The callback has the event as it is.</p>
      )}
    </fieldset>
  );
}
