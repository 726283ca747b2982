import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AdminAccess } from '../../../auth/admin-access.decorator';
import { Operation, Returns } from '../../../common/http/route.decorators';
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
      "Returns both lists' entries and unreadable lines, the number of links blocked by each list, and the progress of checking existing links.",
  })
  @Returns(200, ListsResponse, 'The lists')
  read() {
    return this.service.read();
  }
}
