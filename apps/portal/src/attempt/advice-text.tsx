import { MaskedText } from '../components/masked-text.js';
import type { Advice } from '../resources/advice.js';

/** Why an attempt failed, and what to do. */
export function AdviceText({ advice }: { advice: Advice }) {
  return (
    <div className="advice">
      <h3>Why: {advice.title}</h3>
      <p>{advice.meaning}</p>
      <p>
        <strong>What to do:</strong> <MaskedText text={advice.action} />
      </p>
    </div>
  );
}
