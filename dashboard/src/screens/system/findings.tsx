import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { SystemFindings } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { Status } from '../../ui/status.tsx'
import { useWords } from '../../words/words.tsx'

/** What is asked for is only asked for by a press: it connects to every provider. */
export function Findings() {
  const { system: words, ui } = useWords()
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: [...keys.system, 'findings'],
    queryFn: async ({ signal }) => (await client.read<SystemFindings>('/dashboard/system/findings', signal)).items,
    enabled: false,
  })
  return (
    <Section title={words.findings}>
      <p>{words.findingsHelp}</p>
      <div>
        <Button variant="default" loading={isFetching} onClick={() => void refetch()}>
          {words.check}
        </Button>
      </div>
      {error && <Problem error={error} />}
      {data && (
        <DataTable
          label={words.findings}
          columns={[
            { key: 'check', header: words.checked, cell: ({ check }) => <bdi lang="en">{check}</bdi> },
            { key: 'state', header: words.state, cell: ({ ok }) => <Status word={ok ? 'ok' : 'failed'} /> },
            { key: 'said', header: words.found, cell: ({ said }) => <bdi lang="en">{said}</bdi> },
            { key: 'mend', header: words.mend, cell: ({ mend }) => <bdi lang="en">{mend ?? ui.none}</bdi> },
          ]}
          rows={data}
          rowKey={({ check }) => check}
          stale={isFetching}
        />
      )}
    </Section>
  )
}
