import { Button } from './button.js';
import { Untrusted } from './untrusted.js';

type FilterProblemsProps = { problems: readonly { name: string; problem: string }[]; onClear: () => void };

/** Shows which filters in the URL are wrong and are not used. */
export function FilterProblems({ problems, onClear }: FilterProblemsProps) {
  if (problems.length === 0) return null;
  return (
    <div className="notice danger" role="alert">
      <p>The address has filters that cannot be used:</p>
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
