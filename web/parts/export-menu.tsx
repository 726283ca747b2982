import { texts } from '../texts';
import { Icon } from './icons';

interface ExportMenuProps<Format extends keyof typeof texts.formats> {
  readonly formats: readonly Format[];
  readonly isRunning?: boolean;
  readonly download: (format: Format) => void;
}

export function ExportMenu<Format extends keyof typeof texts.formats>(
  props: ExportMenuProps<Format>,
) {
  const { formats, isRunning = false, download } = props;
  return (
    <>
      <button type="button" class="quiet small" popovertarget="export-menu" aria-busy={isRunning}>
        <Icon name="download" /> {texts.export}
      </button>
      <div id="export-menu" class="menu export-menu" popover="auto">
        {formats.map((format) => (
          <button
            key={format}
            type="button"
            class="plain"
            popovertarget="export-menu"
            popovertargetaction="hide"
            onClick={() => download(format)}
          >
            {texts.formats[format]}
          </button>
        ))}
      </div>
    </>
  );
}
