import { createHash } from 'node:crypto';
import {
  type ExportedFile,
  numberedClickLine,
  splitClickLine,
  type WrittenClick,
} from '../../imports/sources/curtail/export-codec';
import type { ExportFolder, FileSizes } from './export-folder';
import { VisitorNumbers } from './visitor-numbers';

/** Numbers the visitors of all clicks, which are sorted by link and time. */
export async function numberVisitors(
  folder: ExportFolder,
  names: readonly string[],
  sizes: FileSizes,
): Promise<Buffer> {
  const numbers = VisitorNumbers.create();
  let [links, linkBefore] = [0, ''];
  for (const name of names) {
    for await (const line of folder.lines(name, sizes[name] ?? 0)) {
      const { linkId, time, visitor, rest } = splitClickLine(line);
      if (linkId !== linkBefore) [links, linkBefore] = [links + 1, linkId];
      // The link's place instead of its id, which an import changes.
      if (visitor !== null) numbers.add(visitor, Date.parse(time), digestOf(links, time, rest));
    }
  }
  return numbers.numbered();
}

/** Returns 52 bits, which a number represents exactly. */
function digestOf(link: number, time: string, rest: string): number {
  const digest = createHash('sha256').update(`${link} ${time} ${rest}`).digest();
  return digest.readUIntBE(0, 6) * 16 + ((digest[6] ?? 0) & 15);
}

/** Writes clicks with the numbers of their visitors; clicks at the same time by their content. */
export async function writeNumbered(
  folder: ExportFolder,
  from: { readonly name: string; readonly size: number },
  to: string,
  numbers: VisitorNumbers,
): Promise<{ file: ExportedFile; clicks: number }> {
  let clicks = 0;
  await folder.append([to], {}, async ([file]) => {
    let run: WrittenClick[] = [];
    const writeRun = async (): Promise<void> => {
      const numbered = run.map((click) => ({
        click,
        number: click.visitor === null ? null : numbers.numberOf(click.visitor),
      }));
      numbered.sort(
        (a, b) => compare(a.click.rest, b.click.rest) || (a.number ?? -1) - (b.number ?? -1),
      );
      clicks += numbered.length;
      for (const { click, number } of numbered) await file?.write(numberedClickLine(click, number));
      run = [];
    };
    for await (const line of folder.lines(from.name, from.size)) {
      const click = splitClickLine(line);
      const [last] = run;
      if (last?.time !== click.time || last.linkId !== click.linkId) await writeRun();
      run.push(click);
    }
    await writeRun();
  });
  return { file: await folder.digest(to, clicks), clicks };
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
