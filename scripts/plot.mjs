// Bars as an SVG of its own, without any package: readable on light and on dark pages, alone or in an <img>.

const width = 760;
const left = 210;
const right = 90;
const bar = 16;
const gap = 14;
const colors = ['#3b82f6', '#e08700', '#10a37f', '#a855f7', '#e0457b'];
const style = `text{font:12px system-ui,sans-serif;fill:#333}.title{font-size:14px;font-weight:600}
.grid{stroke:#8884}@media (prefers-color-scheme:dark){text{fill:#ccc}}`;

const escape = (text) => String(text).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
const text = (x, y, what, more = '') => `<text x="${x}" y="${y}"${more}>${escape(what)}</text>`;

/** A number with as many digits as it deserves. */
export function short(value) {
  if (!Number.isFinite(value)) return '-';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  if (Number.isInteger(value)) return String(value);
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}

/** Where the axis has its lines: at round numbers, about five of them, the last not below the highest value. */
export function ticksFor(highest) {
  if (!(highest > 0)) return [0, 1];
  const rough = highest / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
  const count = Math.ceil(highest / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/**
 * Horizontal bars: a group for each label, in it a bar for each series. `unit` stands at the axis. A value that is
 * absent has no bar.
 */
export function plotBars({ title, unit, series, groups }) {
  const values = groups.flatMap((group) => group.values).filter(Number.isFinite);
  const ticks = ticksFor(Math.max(0, ...values));
  const scale = (value) => (value / ticks.at(-1)) * (width - left - right);
  const top = series.length > 1 ? 62 : 40;
  const groupHeight = series.length * bar + gap;
  const bottom = top + groups.length * groupHeight;
  const parts = [text(12, 22, title, ' class="title"')];
  if (series.length > 1) parts.push(...series.flatMap((name, index) => legend(name, index)));
  for (const tick of ticks) {
    const x = (left + scale(tick)).toFixed(1);
    parts.push(`<line class="grid" x1="${x}" x2="${x}" y1="${top - 6}" y2="${bottom}"/>`);
    parts.push(text(x, bottom + 16, short(tick), ' text-anchor="middle"'));
  }
  groups.forEach(({ label, values: own }, index) => {
    const y = top + index * groupHeight;
    parts.push(text(left - 8, y + (series.length * bar) / 2 + 4, label, ' text-anchor="end"'));
    own.forEach((value, place) => {
      if (!Number.isFinite(value)) return;
      const [at, length] = [y + place * bar, Math.max(1, scale(value))];
      const fill = colors[place % colors.length];
      parts.push(
        `<rect x="${left}" y="${at + 1}" width="${length.toFixed(1)}" height="${bar - 3}" rx="2" fill="${fill}"/>`,
      );
      parts.push(text((left + length + 5).toFixed(1), at + bar - 4, short(value)));
    });
  });
  parts.push(text(left + (width - left - right) / 2, bottom + 34, unit, ' text-anchor="middle"'));
  const height = bottom + 46;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escape(title).replace(/"/g, '&quot;')}">
<style>${style}</style>
${parts.join('\n')}
</svg>
`;
}

function legend(name, index) {
  const x = 14 + index * 130;
  return [
    `<rect x="${x}" y="34" width="11" height="11" rx="2" fill="${colors[index % colors.length]}"/>`,
    text(x + 16, 44, name),
  ];
}
