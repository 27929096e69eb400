import { Button } from './button.js';
import { Untrusted } from './untrusted.js';

type FilterProblemsProps = { problems: readonly { name: string; problem: string }[]; onClear: () => void };

/** Lists the invalid filters in the URL, which are ignored. */
export function FilterProblems({ problems, onClear }: FilterProblemsProps) {
  if (problems.length === 0) return null;
  return (
    <div className="notice danger" role="alert">
      <p>The URL has invalid filters, which are ignored:</p>
      <ul>
        {problems.map(({ name, problem }) => (
          <li key={name}>
            <strong>
              <Untrusted text={name} />
            </strong>
            : {problem}
          </li>
        ))}
      </ul>
      <Button onClick={onClear}>Clear all filters</Button>
    </div>
  );
}
