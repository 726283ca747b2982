export function table(
  machine: Record<string, unknown>,
  results: readonly Record<string, unknown>[],
): string {
  const about = Object.entries(machine).map(([name, value]) => `${name} ${String(value)}`);
  const rows = results.flatMap(({ bench, ...figures }) =>
    flat(figures).map(([name, value]) => `| ${String(bench)} | ${name} | ${value} |`),
  );
  const head = ['| Bench | Figure | Value |', '| --- | --- | ---: |'];
  return `${about.join(', ')}\n\n${[...head, ...rows].join('\n')}\n`;
}

function flat(figures: object, prefix = ''): [string, string][] {
  return Object.entries(figures).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null
      ? flat(value, `${prefix}${name}.`)
      : [[prefix + name, String(value)] as [string, string]],
  );
}
