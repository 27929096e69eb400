import { Button } from '../components/button.js';
import { Dialog } from '../components/dialog.js';
import { SelectField } from '../components/fields.js';
import { usePreferences } from '../session/preferences.js';

const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];
const hourChoices = [
  { value: '24', label: '24 hours, 17:30' },
  { value: '12', label: '12 hours, 5:30 pm' },
] as const;
const schemeChoices = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const;

/** Lets the user choose how times, phone numbers and colours are shown. */
export function PreferencesDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { zone, hours, scheme, isMasked, change } = usePreferences();
  const zoneChoices = [...new Set([zone, ...zones])].map((value) => ({ value, label: value.replaceAll('_', ' ') }));
  return (
    <Dialog title="Display" isOpen={isOpen} onClose={onClose}>
      <SelectField label="Time zone" value={zone} onChange={(value) => change({ zone: value })} options={zoneChoices} />
      <SelectField label="Hours" value={hours} onChange={(value) => change({ hours: value })} options={hourChoices} />
      <SelectField
        label="Colours"
        value={scheme}
        onChange={(value) => change({ scheme: value })}
        options={schemeChoices}
      />
      <label className="check">
        <input type="checkbox" checked={!isMasked} onChange={({ target }) => change({ isMasked: !target.checked })} />
        Show phone numbers in full
      </label>
      <p className="hint">These settings last until the page is closed.</p>
      <div className="actions">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}
