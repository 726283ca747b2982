import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { texts } from '../texts';
import { Icon, type IconName } from './icons';

export interface MenuItem {
  readonly icon: IconName;
  readonly label: ComponentChildren;
  readonly do: () => void;
  /** The item's address, which users can also open in a new tab. */
  readonly href?: string;
  /** Whether the item opens in a new tab. */
  readonly isElsewhere?: boolean;
  readonly isBad?: boolean;
}

interface MenuProps {
  readonly label: string;
  readonly items: () => readonly MenuItem[];
}

/** The title and close button that a `sheet` popover has on small screens. */
export function SheetHead({ title, id }: { title: string; id: string }) {
  return (
    <header class="sheet-head">
      <strong>{title}</strong>
      <button
        type="button"
        class="plain icon-only"
        popovertarget={id}
        popovertargetaction="hide"
        aria-label={texts.close}
      >
        <Icon name="close" />
      </button>
    </header>
  );
}

/**
 * A menu button according to the ARIA pattern. Arrow keys, Home, End and first letters move, Esc
 * and Tab close. The focus then returns to the button.
 */
export function MenuButton({ label, items }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const last = useRef(false);
  const id = useId();
  const lines = (): HTMLElement[] => [
    ...(menu.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? []),
  ];
  const close = (): void => {
    menu.current?.hidePopover();
    button.current?.focus();
  };
  const open = (atLast: boolean): void => {
    last.current = atLast;
    button.current?.click();
  };
  const move = (event: KeyboardEvent): void => {
    // Keys in an open menu must not trigger shortcuts.
    event.stopPropagation();
    const all = lines();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to: Readonly<Record<string, number>> = {
      ArrowDown: (at + 1) % all.length,
      ArrowUp: (at - 1 + all.length) % all.length,
      Home: 0,
      End: all.length - 1,
    };
    const next = to[event.key] ?? byLetter(all, at, event);
    if (event.key === 'Tab' || event.key === 'Escape') close();
    if (event.key === ' ') all[at]?.click();
    if (next === undefined && event.key !== ' ' && event.key !== 'Escape') return;
    event.preventDefault();
    if (next !== undefined) all[next]?.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class="plain icon-only"
        popovertarget={id}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={label}
        title={label}
        onKeyDown={(event) => {
          if (isOpen || !['ArrowDown', 'ArrowUp'].includes(event.key)) return;
          event.preventDefault();
          open(event.key === 'ArrowUp');
        }}
      >
        <Icon name="more" />
      </button>
      <div
        ref={menu}
        id={id}
        class="menu of-row"
        popover="auto"
        role="menu"
        aria-label={label}
        onKeyDown={move}
        onBeforeToggle={(event) => setOpen(event.newState === 'open')}
        onToggle={(event) => {
          // Only visible elements can receive focus.
          if (event.newState === 'open')
            lines()
              .at(last.current ? -1 : 0)
              ?.focus();
          last.current = false;
        }}
      >
        {isOpen && items().map((item, i) => <Line key={i} item={item} close={close} />)}
      </div>
    </>
  );
}

function Line({ item, close }: { item: MenuItem; close: () => void }) {
  const { icon, label, href, isElsewhere = false, isBad = false } = item;
  const content = (
    <>
      <Icon name={icon} /> <span>{label}</span>
    </>
  );
  if (href !== undefined) {
    return (
      <a
        role="menuitem"
        tabIndex={-1}
        href={href}
        {...(isElsewhere ? { target: '_blank', rel: 'noreferrer' } : {})}
        onClick={(event) => {
          close();
          if (isElsewhere || event.metaKey || event.ctrlKey || event.shiftKey) return;
          event.preventDefault();
          item.do();
        }}
      >
        {content}
      </a>
    );
  }
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      class={isBad ? 'plain bad' : 'plain'}
      onClick={() => {
        close();
        item.do();
      }}
    >
      {content}
    </button>
  );
}

function byLetter(
  all: readonly HTMLElement[],
  at: number,
  { key, ctrlKey, metaKey, altKey }: KeyboardEvent,
): number | undefined {
  if (key.length !== 1 || key === ' ' || ctrlKey || metaKey || altKey) return undefined;
  const letter = key.toLocaleLowerCase();
  const begins = all.map((line) => line.innerText.trim().toLocaleLowerCase().startsWith(letter));
  const after = begins.indexOf(true, at + 1);
  const found = after < 0 ? begins.indexOf(true) : after;
  return found < 0 ? undefined : found;
}
