import { ApiProperty } from '@nestjs/swagger';
import { COUNT, ISO_PROPERTY } from '../../../common/openapi/properties';
import { ATTENTION_KINDS, type AttentionItem, type AttentionKind } from './attention';

const FIGURE = { ...COUNT, nullable: true } as const;
const OVERVIEW_TIME = { ...ISO_PROPERTY, nullable: true } as const;
const NULLABLE_FIGURE_TEXT = { type: String, nullable: true } as const;

type Figure = number | null;
type Time = string | null;

class OverviewVersions {
  @ApiProperty({ example: '1.0.0' }) curtail!: string;
  @ApiProperty({ example: '20.19.0' }) node!: string;
  @ApiProperty({ ...NULLABLE_FIGURE_TEXT, example: '8.0.4' }) database!: string | null;
}

class OverviewAccounts {
  @ApiProperty(FIGURE) total!: Figure;
  @ApiProperty(FIGURE) verified!: Figure;
  @ApiProperty(FIGURE) suspended!: Figure;
  @ApiProperty(FIGURE) admins!: Figure;
  @ApiProperty({ ...FIGURE, description: 'Accounts being deleted' })
  deleting!: Figure;
  @ApiProperty({ ...FIGURE, description: 'Created today or on the six previous days' })
  last_7_days!: Figure;
}

class OverviewLinks {
  @ApiProperty(FIGURE) total!: Figure;
  @ApiProperty(FIGURE) anonymous!: Figure;
  @ApiProperty(FIGURE) blocked!: Figure;
  @ApiProperty({ ...FIGURE, description: 'Created today or on the six previous days' })
  last_7_days!: Figure;
}

class OverviewClicks {
  @ApiProperty({ ...FIGURE, description: 'Clicks on existing links' }) total!: Figure;
  @ApiProperty({ ...FIGURE, description: 'Imported clicks on these links, not part of `total`' })
  imported_clicks!: Figure;
  @ApiProperty(FIGURE) today!: Figure;
  @ApiProperty({ ...FIGURE, description: 'Today and the six previous days' })
  last_7_days!: Figure;
}

class OverviewReports {
  @ApiProperty(FIGURE) open!: Figure;
}

class OverviewLists {
  @ApiProperty({ ...FIGURE, description: 'Entries of BLOCKED_HOSTS_FILE' }) hosts!: Figure;
  @ApiProperty({ ...FIGURE, description: 'Entries in BLOCKED_URLS_FILE' }) patterns!: Figure;
  @ApiProperty({ ...FIGURE, description: 'Skipped lines in both blocklist files' })
  unreadable!: Figure;
}

class OverviewStorage {
  @ApiProperty(FIGURE) database_bytes!: Figure;
  @ApiProperty(FIGURE) data_dir_bytes!: Figure;
  @ApiProperty({ ...FIGURE, description: 'Free space on the disk that contains DATA_DIR' })
  free_bytes!: Figure;
}

class OverviewJournal {
  @ApiProperty({ ...FIGURE, description: 'Journal files waiting to be recorded' }) files!: Figure;
  @ApiProperty(FIGURE) bytes!: Figure;
  @ApiProperty(OVERVIEW_TIME) oldest_at!: Time;
  @ApiProperty({ ...FIGURE, description: 'Quarantined journal files' })
  quarantined!: Figure;
}

class OverviewMail {
  @ApiProperty({ enum: ['smtp', 'outbox'] }) transport!: 'smtp' | 'outbox';
  @ApiProperty({ ...FIGURE, description: 'Emails that could not be sent' }) failed_24h!: Figure;
  @ApiProperty({
    ...OVERVIEW_TIME,
    description: 'Time of the last failure within the past 30 days',
  })
  last_failure_at!: Time;
}

class OverviewJobs {
  @ApiProperty(FIGURE) queued!: Figure;
  @ApiProperty(FIGURE) running!: Figure;
  @ApiProperty(FIGURE) failed_24h!: Figure;
}

class OverviewAttention implements AttentionItem {
  @ApiProperty({
    enum: ATTENTION_KINDS,
    description:
      '`disk`: little free space; `backup`: no `curtail backup` in seven days; `outbox`: without SMTP_URL, emails become files; `alpha_database`: the database is a pre-release, such as the embedded one; `unreadable`: blocklist lines; `quarantined`: journal files; others: open or failed in 24 hours',
  })
  kind!: AttentionKind;

  @ApiProperty({
    ...FIGURE,
    description:
      'The number of reports, emails, jobs, files or lines; for `disk`, the free bytes; for `backup`, days since the last one, null without any',
  })
  count!: Figure;
}

export class AdminOverviewResponse {
  @ApiProperty({
    type: [OverviewAttention],
    description: 'Problems that operators should look at, the most urgent first',
  })
  attention!: OverviewAttention[];

  @ApiProperty() version!: OverviewVersions;
  @ApiProperty({ ...OVERVIEW_TIME, description: 'When the service was started on this machine' })
  started_at!: Time;
  @ApiProperty() accounts!: OverviewAccounts;
  @ApiProperty() links!: OverviewLinks;
  @ApiProperty() clicks!: OverviewClicks;
  @ApiProperty() reports!: OverviewReports;
  @ApiProperty() lists!: OverviewLists;
  @ApiProperty() storage!: OverviewStorage;
  @ApiProperty({ description: "This machine's journal" }) journal!: OverviewJournal;
  @ApiProperty() mail!: OverviewMail;
  @ApiProperty() jobs!: OverviewJobs;
  @ApiProperty(OVERVIEW_TIME) last_backup_at!: Time;
}
