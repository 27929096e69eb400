// The last result of `npm run test:image` is in docs/operate/deploy.md. A release needs a result for the files that it
// releases.
import fs from 'fs';
import { join } from 'path';

export const recordFile = 'docs/operate/deploy.md';
const pattern = /on (\d{4}-\d\d-\d\d) at commit `([0-9a-f]+)`: \d+ passed, \d+ failed/;

/** Returns the text of the record's file with another result: that of the image's test at `commit`. */
export function withRecord(text, { date, commit, counts }) {
  if (!pattern.test(text)) throw new Error(`${recordFile} has no result of npm run test:image`);
  return text.replace(pattern, `on ${date} at commit \`${commit}\`: ${counts}`);
}

/**
 * Says why the recorded result does not hold for the image of this commit; empty if it does. The image has no file of
 * docs/, so files there, such as the record itself, may have changed since.
 */
export function findRecordObstacle(root, git) {
  const [, , commit] = pattern.exec(fs.readFileSync(join(root, recordFile), 'utf8')) ?? [];
  if (!commit) return `${recordFile} has no result of npm run test:image`;
  try {
    git('merge-base', '--is-ancestor', commit, 'HEAD');
  } catch {
    return `${recordFile} has the result of npm run test:image at ${commit}, which is not an earlier commit`;
  }
  const changed = git('diff', '--name-only', commit, 'HEAD', '--', '.', ':(exclude)docs').split('\n')[0];
  return changed && `${changed} has changed since npm run test:image passed at ${commit}`;
}
