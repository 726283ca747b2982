import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { AdminAccess } from '../../../auth/admin-access.decorator';
import { Operation } from '../../../common/openapi/operation.decorator';
import { ListsResponse } from './lists.response';
import { ListsService } from './lists.service';

@ApiTags('Administration')
@Controller('api/v1/admin/lists')
export class ListsController {
  constructor(private readonly service: ListsService) {}

  @Get()
  @AdminAccess('read')
  @Operation({
    id: 'getLists',
    summary: 'Read the state of the blocklists',
    description:
      'Returns entries and unreadable lines of both lists, the number of links that they have blocked, and the progress of the check of all links.',
  })
  @ApiOkResponse({ type: ListsResponse, description: 'The lists' })
  read(): Promise<ListsResponse> {
    return this.service.read();
  }
}
