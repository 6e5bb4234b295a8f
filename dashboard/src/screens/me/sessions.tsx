import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { OwnSession } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'
import { agentName } from './agent-name.ts'

const SESSIONS = '/dashboard/account/sessions'

/** `id`: null ends all others. One that has ended meanwhile is gone as well: the list is asked for again either way. */
function useEnd() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (id: string | null) => client.write<null>(id === null ? SESSIONS : `${SESSIONS}/${id}`, { method: 'DELETE' }),
    onSettled: () => queries.invalidateQueries({ queryKey: keys.account }),
  })
}

const columnsIn = ({ me: words, ui }: Words, onEnd: (id: string) => void): readonly Column<OwnSession>[] => [
  { key: 'agent', header: words.browser, cell: ({ agent }) => <bdi>{agent === null ? ui.none : agentName(agent)}</bdi> },
  { key: 'ip', header: words.from, cell: ({ ip }) => <bdi dir="ltr">{ip ?? ui.none}</bdi> },
  { key: 'began', header: words.began, cell: ({ createdAt }) => <Time at={createdAt} inTable /> },
  { key: 'used', header: words.lastSeen, cell: ({ usedAt }) => <Time at={usedAt} inTable /> },
  {
    key: 'end',
    header: words.end,
    cell: ({ id, agent, ip, isThis }) =>
      isThis ? (
        words.thisOne
      ) : (
        <Button
          variant="default"
          size="compact-xs"
          onClick={() => onEnd(id)}
          aria-label={`${words.end}: ${agent === null ? ui.none : agentName(agent)}, ${ip ?? ui.none}`}
        >
          {words.end}
        </Button>
      ),
  },
]

/** Where the user is signed in. */
export function Sessions({ sessions }: Readonly<{ sessions: readonly OwnSession[] }>) {
  const all = useWords()
  const { me: words } = all
  const ending = useEnd()
  return (
    <Section title={words.sessions}>
      {ending.error && <Problem error={ending.error} />}
      <DataTable label={words.sessions} columns={columnsIn(all, (id) => ending.mutate(id))} rows={sessions} rowKey={({ id }) => id} />
      {sessions.length > 1 && (
        <Button variant="default" loading={ending.isPending} onClick={() => ending.mutate(null)}>
          {words.endOthers}
        </Button>
      )}
    </Section>
  )
}
