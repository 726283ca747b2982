import { Controller, Delete } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentPrincipal, type Principal } from '../../auth/access';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { IdParam, Operation, Returns } from '../../common/http/route.decorators';
import { DeletedClicksResponse } from './click-deletion.response';
import { ClickDeletionService } from './click-deletion.service';

@ApiTags('Links')
@Controller('api/v1/urls/:url_id/clicks')
export class ClickDeletionController {
  constructor(private readonly service: ClickDeletionService) {}

  @Delete()
  @Access('urls:manage')
  @RateLimit('links.delete-clicks')
  @Operation({
    id: 'deleteClicks',
    summary: "Delete a link's clicks",
    description:
      'Permanently deletes all recorded and imported clicks of the link. The link and its settings stay, and its clicks count from zero. If its click limit has closed the link, it becomes active again. Not possible while an import is unfinished.',
  })
  @Returns(200, DeletedClicksResponse, 'The clicks are deleted', 403, 404, 409)
  deleteClicks(
    @IdParam("The link's ID", 'url_id') urlId: string,
    @CurrentPrincipal() caller: Principal,
  ) {
    return this.service.deleteClicks(urlId, caller);
  }
}
