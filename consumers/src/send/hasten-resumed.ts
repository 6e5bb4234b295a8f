import type { Recorded } from '@tidings/codec'
import type { LogFollower } from '@tidings/commands'
import type { WorkspaceStatusChanged } from '@tidings/domain'
import { hasten } from '@tidings/inbox'
import type { Pool } from 'pg'
import { SEND_EMAIL } from './send-consumer.ts'

type Parts = Readonly<{ follower: LogFollower; pool: Pool; onFault: (error: unknown) => void }>

/**
 * Mail that waited for its suspended workspace goes on when that is over, instead of looking again within a minute; a worker that did not
 * know yet may put it off once more. Listens at once: call it before the follower starts.
 */
export const hastenResumed = ({ follower, pool, onFault }: Parts): void =>
  follower.listen({
    types: ['WorkspaceStatusChanged'],
    heard: (event) => {
      const { data, meta } = event as Recorded<WorkspaceStatusChanged>
      if (data.status !== 'suspended') hasten(pool, SEND_EMAIL, meta.workspaceId).catch(onFault)
    },
  })
