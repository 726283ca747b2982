import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

interface Instruction {
  readonly name: string;
  readonly text: string;
}

interface Stage {
  readonly name: string;
  readonly instructions: Instruction[];
}

export interface ReplayedStage {
  readonly root: string;
  workdir: string;
  readonly env: Record<string, string>;
  cmd: string[];
  healthcheck: string[];
  user: string;
}

function instructionsOf(text: string): Instruction[] {
  const lines = text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll('\\\n', ' ');
  return lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [, name = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
      return { name, text: rest };
    });
}

function stagesOf(text: string): Stage[] {
  const stages: Stage[] = [];
  for (const instruction of instructionsOf(text)) {
    if (instruction.name === 'FROM') {
      const name = / AS (\S+)$/.exec(instruction.text)?.[1] ?? '';
      stages.push({ name, instructions: [] });
    } else if (instruction.name !== 'ARG') stages.at(-1)?.instructions.push(instruction);
  }
  return stages;
}

/** Absolute paths in the image, which are mapped below the stage's root. */
const ABSOLUTE = /(?<=^|[\s=])\/(app|data|usr\/local\/bin)\b/g;

/**
 * Replays a Dockerfile without containers: copies what COPY names from `context` into empty
 * folders and executes RUN. Returns the last stage.
 */
export function replay(file: string, context: string, folder: string): ReplayedStage {
  const done = new Map<string, ReplayedStage>();
  let last: ReplayedStage | undefined;
  for (const [index, { name, instructions }] of stagesOf(readFileSync(file, 'utf8')).entries()) {
    last = replayStage(instructions, join(folder, `stage-${index}`), context, done);
    done.set(name, last);
  }
  if (last === undefined) throw new Error('The Dockerfile has no stage');
  return last;
}

function replayStage(
  instructions: readonly Instruction[],
  root: string,
  context: string,
  done: ReadonlyMap<string, ReplayedStage>,
): ReplayedStage {
  for (const path of ['app', 'usr/local/bin']) mkdirSync(join(root, path), { recursive: true });
  const stage: ReplayedStage = { root, workdir: '/', env: {}, cmd: [], healthcheck: [], user: '' };
  for (const { name, text } of instructions) {
    switch (name) {
      case 'WORKDIR':
        stage.workdir = text;
        mkdirSync(join(root, text), { recursive: true });
        break;
      case 'ENV':
        for (const pair of text.split(/\s+/)) {
          const [key = '', value = ''] = pair.split('=');
          stage.env[key] = value.replace(ABSOLUTE, `${root}/$1`);
        }
        break;
      case 'COPY':
        copy(text, stage, context, done);
        break;
      case 'RUN':
        run(text, stage);
        break;
      case 'HEALTHCHECK':
        stage.healthcheck = JSON.parse(text.slice(text.indexOf('['))) as string[];
        break;
      case 'CMD':
        stage.cmd = JSON.parse(text) as string[];
        break;
      case 'USER':
        stage.user = text;
        break;
      case 'VOLUME':
      case 'EXPOSE':
        break;
      default:
        throw new Error(`The replay does not know ${name}`);
    }
  }
  return stage;
}

function copy(
  text: string,
  stage: ReplayedStage,
  context: string,
  done: ReadonlyMap<string, ReplayedStage>,
): void {
  const words = text.split(/\s+/);
  const from = /^--from=(.*)$/.exec(words[0] ?? '')?.[1];
  if (from !== undefined) words.shift();
  const target = words.pop() ?? '';
  const source = from === undefined ? context : (done.get(from)?.root ?? '');
  for (const word of words) {
    const path = join(source, word);
    // Docker copies a folder's contents, not the folder itself.
    const into = join(stage.root, stage.workdir, target);
    if (!existsSync(path)) throw new Error(`COPY ${word}: there is no such file`);
    if (statSync(path).isDirectory()) linkFolder(path, into);
    else cpSync(path, target.endsWith('/') ? join(into, basename(word)) : into);
  }
}

function linkFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  const { status, stderr } = spawnSync('cp', ['-al', `${from}/.`, to], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`COPY ${from}: ${stderr}`);
}

/** The image's users do not exist here: chown only checks that the path exists. */
const CHOWN = 'chown() { test "$1" = node:node && test -e "$2"; }';

const FROM_CACHE = { npm_config_prefer_offline: 'true', npm_config_audit: 'false' };

/** npm has been seen to hang after an installation. */
const MAX_STEP_SECONDS = 240;

function run(text: string, { root, workdir, env }: ReplayedStage): void {
  const command = `${CHOWN}\n${text.replace(ABSOLUTE, `${root}/$1`)}`;
  const attempt = () =>
    spawnSync('timeout', ['-s', 'KILL', String(MAX_STEP_SECONDS), 'sh', '-ec', command], {
      cwd: join(root, workdir),
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...FROM_CACHE, ...env },
      encoding: 'utf8',
    });
  const first = attempt();
  // `timeout` kills its whole group, including itself.
  const { status, stdout, stderr } = first.signal === 'SIGKILL' ? attempt() : first;
  if (status !== 0) throw new Error(`RUN ${text} ended with ${status}:\n${stdout}${stderr}`);
}

/**
 * Copies the files that a clean clone would contain, in their current state, except those that
 * .dockerignore excludes.
 */
export function cleanClone(repository: string, folder: string): void {
  const { stdout, status } = spawnSync('git', ['ls-files', '-z'], {
    cwd: repository,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error('git ls-files failed');
  const ignored = readFileSync(join(repository, '.dockerignore'), 'utf8').split('\n');
  for (const name of stdout.split('\0').filter((each) => existsSync(join(repository, each)))) {
    if (name === '' || ignored.includes(name.split('/')[0] ?? '')) continue;
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    cpSync(join(repository, name), join(folder, name));
  }
}
