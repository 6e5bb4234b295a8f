import { Group } from '@mantine/core'
import type { CampaignFigures } from '../api/calls.ts'
import { ApiProblem } from '../api/client.ts'
import { BulkProgress } from '../ui/bulk-progress.tsx'
import { CampaignProgress } from '../ui/campaign-progress.tsx'
import { ChangedMeanwhile } from '../ui/changed-meanwhile.tsx'
import { Code } from '../ui/code.tsx'
import { CopyButton, CopyId } from '../ui/copy.tsx'
import { Empty } from '../ui/empty.tsx'
import { Facts } from '../ui/facts.tsx'
import { FlowTrigger } from '../ui/flow-trigger.tsx'
import { Loading } from '../ui/loading.tsx'
import { MailFrame } from '../ui/mail-frame.tsx'
import { Problem } from '../ui/problem.tsx'
import { Section } from '../ui/section.tsx'
import { Status } from '../ui/status.tsx'
import { Time } from '../ui/time.tsx'
import { useWords } from '../words/words.tsx'

export const NOA = '0192f000-0000-7000-8100-000000000000'
const LATER = '2026-03-10T11:03:07.000Z'
const EARLIER = '2026-02-10T12:00:00.000Z'
const nothing = (): void => undefined

/** A refusal as the API says it. */
export function refused(message: string, code: string | null = null): ApiProblem {
  return new ApiProblem({ status: 409, message, code, requestId: NOA, by: 'ada@shop.example', at: LATER, retryAfterMs: null })
}

const HALF = { status: 'sending', audience: 40, waiting: 12, queued: 3 } as CampaignFigures

function Bulk() {
  const { deadLetters: words } = useWords()
  const shared = { sentences: words, show: ({ name }: Readonly<{ name: string }>) => <bdi>{name}</bdi>, onStop: nothing, onClose: nothing }
  const failures = [{ id: NOA, name: 'Noa', error: refused('Taken back meanwhile.') }]
  return (
    <>
      <BulkProgress {...shared} progress={{ done: 12, failures: [], total: 40, isOver: false }} />
      <BulkProgress {...shared} progress={{ done: 39, failures, total: 40, isOver: true }} />
    </>
  )
}

const STATES = ['delivered', 'bounced', 'skipped', 'never_subscribed', 'sending']

export const SIGNS = {
  status: () => (
    <Group gap="sm">
      {STATES.map((word) => (
        <Status key={word} word={word} />
      ))}
    </Group>
  ),
  time: () => [LATER, EARLIER, null].map((at) => <div key={String(at)}>{<Time at={at} />}</div>),
  copy: () => (
    <>
      <CopyId id={NOA} /> <CopyButton text={NOA} />
    </>
  ),
  code: () => <Code text="curl -X POST http://127.0.0.1:3000/api/v1/public/profiles" label="curl" />,
  empty: () => <Empty text="No campaign yet. נועה" call="curl http://127.0.0.1:3000" />,
  facts: () => (
    <Facts
      items={[
        ['Name', <bdi key="name">נועה לוי</bdi>],
        ['Email', 'noa@example.com'],
      ]}
    />
  ),
  'flow-trigger': () => <FlowTrigger trigger={{ type: 'list_joined', list: { id: NOA, name: 'Newsletter' }, event: null }} />,
  'campaign-progress': () => <CampaignProgress figures={HALF} />,
  'bulk-progress': Bulk,
  problem: () => (
    <>
      <Problem error={refused('The name is taken.')} onRetry={nothing} />
      <Problem error={new ApiProblem({ status: 403, message: 'Only admins may do this.', code: null, requestId: NOA })} />
    </>
  ),
  'changed-meanwhile': () => (
    <ChangedMeanwhile problem={refused('Changed.', 'changed_meanwhile')} onTake={nothing} onKeep={nothing}>
      <p>Spring is here</p>
    </ChangedMeanwhile>
  ),
  section: () => <Section title="People">…</Section>,
  loading: () => <Loading />,
  'mail-frame': () => <MailFrame low address="about:blank" title="HTML" />,
} as const
