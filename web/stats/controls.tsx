import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { currentName, ownZone, zoneNames } from '../data/zones';
import { plainDay } from '../format';
import { Icon } from '../parts/icons';
import { SheetHead } from '../parts/menu';
import { DayField } from '../parts/time';
import { goWith, usePlace } from '../router';
import { texts } from '../texts';
import { dayIn, RANGES } from './span';
import { audienceParameter, AUDIENCES, DEFAULT_RANGE, type StatsQuery } from './stats-query';
import type { Subject } from './subject';

interface ControlsProps {
  readonly query: StatsQuery;
  readonly subject: Subject;
  readonly isLive: boolean;
  readonly canCompare: boolean;
  readonly children: ComponentChildren;
}

export function Controls({ query, isLive, canCompare, children }: ControlsProps) {
  const { search } = usePlace();
  const t = texts.stats;
  return (
    <div class="controls">
      <RangePicker query={query} />
      <fieldset class="choices">
        <legend class="unseen">{t.audience}</legend>
        {AUDIENCES.map((each) => (
          <label key={each}>
            <input
              type="radio"
              name="audience"
              checked={query.audience === each}
              onChange={() => goWith({ audience: audienceParameter(each) })}
            />
            <span>{t.audiences[each]}</span>
          </label>
        ))}
      </fieldset>
      <div class="control-end">
        {canCompare && (
          <button
            type="button"
            class="quiet small toggle"
            aria-pressed={query.compares}
            onClick={() => goWith({ compare: query.compares ? null : 'yes' })}
          >
            {query.compares && <Icon name="check" />} {t.compare}
          </button>
        )}
        {isLive && (
          <button
            type="button"
            class="quiet small toggle live"
            aria-pressed={search.get('live') !== 'off'}
            title={t.liveHint}
            onClick={() => goWith({ live: search.get('live') === 'off' ? null : 'off' }, 'replace')}
          >
            <span class="dot" aria-hidden="true" /> {t.live}
          </button>
        )}
        {children}
      </div>
    </div>
  );
}

function RangePicker({ query }: { query: StatsQuery }) {
  const t = texts.stats;
  const chosen = query.range === 'custom' ? daysText(query) : t.ranges[query.range];
  return (
    <>
      <button type="button" class="quiet small picker" popovertarget="range-menu">
        <Icon name="clock" />
        <span class="unseen">{t.range}: </span>
        {chosen}
        <Icon name="down" />
      </button>
      <div id="range-menu" class="menu range-menu sheet" popover="auto">
        <SheetHead title={t.range} id="range-menu" />
        <ul>
          {RANGES.map((range) => (
            <li key={range}>
              <button
                type="button"
                class="plain"
                aria-current={query.range === range ? 'true' : undefined}
                popovertarget="range-menu"
                popovertargetaction="hide"
                onClick={() =>
                  goWith({ range: range === DEFAULT_RANGE ? null : range, from: null, to: null })
                }
              >
                {t.ranges[range]}
              </button>
            </li>
          ))}
        </ul>
        <Days query={query} />
        <Zone query={query} />
      </div>
    </>
  );
}

function daysText({ from, to }: StatsQuery): string {
  return texts.stats.days(from === '' ? null : plainDay(from), to === '' ? null : plainDay(to));
}

/** Fields for the first and last day, both inclusive. */
function Days({ query }: { query: StatsQuery }) {
  const [from, setFrom] = useState(query.from);
  const [to, setTo] = useState(query.to);
  const today = dayIn(new Date(), query.zone);
  return (
    <form
      class="days"
      onSubmit={(event) => {
        event.preventDefault();
        if (from === '' && to === '') return;
        goWith({ range: 'custom', from, to });
        event.currentTarget.closest<HTMLElement>('[popover]')?.hidePopover();
      }}
    >
      <DayField label={texts.stats.from} max={today} value={from} change={setFrom} />
      <DayField label={texts.stats.to} max={today} value={to} change={setTo} />
      <button type="submit" class="small">
        {texts.stats.showDays}
      </button>
    </form>
  );
}

function Zone({ query }: { query: StatsQuery }) {
  const id = useId();
  const own = currentName(ownZone());
  return (
    <div class="field">
      <label for={id}>{texts.stats.zone}</label>
      <select
        id={id}
        value={currentName(query.zone)}
        onChange={(event) => {
          const { value } = event.currentTarget;
          goWith({ zone: value === own ? null : value });
        }}
      >
        {zoneNames(own, 'UTC', query.zone).map((zone) => (
          <option key={zone} value={zone} selected={zone === currentName(query.zone)}>
            {zone === own ? texts.stats.ownZone(zone) : zone}
          </option>
        ))}
      </select>
    </div>
  );
}
