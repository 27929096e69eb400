// The licences of the packages whose code is in a bundle.
import fs from 'fs';
import { dirname, join } from 'path';

const line = `\n${'-'.repeat(80)}\n\n`;

/**
 * Describes each npm package that has one of these files: name, version, licence and the text of the licence, or its
 * owner if it has no such text.
 */
export function licencesOf(files) {
  const folders = new Set(files.filter((file) => file.includes('/node_modules/')).map(findPackage));
  return [...folders].map((folder) => {
    const { name, version, license, author } = JSON.parse(fs.readFileSync(join(folder, 'package.json'), 'utf8'));
    const licenceFiles = fs.readdirSync(folder).filter((file) => /^(licen[sc]e|notice|copying)\b/i.test(file));
    const texts = licenceFiles.sort().map((file) => fs.readFileSync(join(folder, file), 'utf8').trim());
    // A few packages have no file with their licence.
    const owner = `Copyright: ${author?.name ?? author ?? `the authors of ${name}`}`;
    return { name, version, identifier: license, text: texts.join('\n\n') || owner };
  });
}

/** Formats the licences as one text, sorted, each package and version once. */
export function formatLicences(licences) {
  const entries = licences.map(({ name, version, identifier, text }) => {
    const head = `${name} ${version}\nLicence: ${identifier}\n`;
    return text ? `${head}\n${text.replace(/\r\n/g, '\n')}\n` : head;
  });
  const intro = `This package contains code of the packages below.\n`;
  return [intro, ...[...new Set(entries)].sort()].join(line);
}

/** The folder of the package that a file is in. Folders inside a package may have a package.json without a name. */
function findPackage(file) {
  const folder = dirname(file);
  const manifest = join(folder, 'package.json');
  if (fs.existsSync(manifest)) {
    const { name, version } = JSON.parse(fs.readFileSync(manifest, 'utf8'));
    if (name && version) return folder;
  }
  return findPackage(folder);
}
