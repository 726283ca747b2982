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
    summary: 'Lists of blocked hosts and addresses',
    description:
      'Entries and unreadable lines of both lists, links that they have closed, and how far the walk is that holds links against them.',
  })
  @ApiOkResponse({ type: ListsResponse, description: 'The lists' })
  read(): Promise<ListsResponse> {
    return this.service.read();
  }
}
