// The build of one workspace, run in its folder. It writes each source file of `src` to `dist` (or to the folder that
// is the argument) as JavaScript with a source map, and removes files whose source is gone. `npm run types` checks
// types for all workspaces, because that takes a hundred times as long.
import fs from 'fs';
import { dirname, join, relative } from 'path';
import { transformSync } from 'rolldown/utils';

function transpile(from, to) {
  const sources = list(from).filter((path) => /\.(ts|json)$/.test(path) && !path.endsWith('.d.ts'));
  const written = sources.flatMap((path) => (path.endsWith('.json') ? copy(path) : compile(path)));
  const stale = list(to).filter((path) => /\.(js|js\.map|d\.ts)$/.test(path) && !written.includes(path));
  for (const path of stale) if (!path.startsWith('swagger-ui/')) fs.rmSync(join(to, path));

  function compile(path) {
    const name = path.replace(/ts$/, 'js');
    const text = fs.readFileSync(join(from, path), 'utf8');
    const { code, map, errors } = transformSync(path, text, { lang: 'ts', target: 'es2023', sourcemap: true });
    if (errors.length > 0) throw new Error(`${join(from, path)}: ${errors.map(({ message }) => message).join('; ')}`);
    const source = relative(dirname(join(to, name)), join(from, path));
    const file = name.split('/').pop();
    write(name, `${code}//# sourceMappingURL=${file}.map\n`);
    write(`${name}.map`, JSON.stringify({ ...map, file, sources: [source] }));
    return [name, `${name}.map`];
  }

  function copy(path) {
    write(path, fs.readFileSync(join(from, path)));
    return [path];
  }

  function write(path, content) {
    fs.mkdirSync(dirname(join(to, path)), { recursive: true });
    fs.writeFileSync(join(to, path), content);
  }
}

function list(folder) {
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

transpile('src', process.argv[2] ?? 'dist');
