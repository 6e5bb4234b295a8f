import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'react-router'
import type { ConsumersOfDeadLetters } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { DeadLetters } from '../../ui/dead-letters.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useWords } from '../../words/words.tsx'

const useConsumers = () =>
  useQuery({
    queryKey: [...keys.deadLetters, 'consumers'],
    queryFn: async ({ signal }) => (await client.read<ConsumersOfDeadLetters>('/dashboard/dead-letters/consumers', signal)).items,
  })

/** The dead letters of the workspace. */
export function Component() {
  const { find, deadLetters: words } = useWords()
  const slug = useSlug()
  const [search, setSearch] = useSearchParams()
  const consumer = search.get('consumer') ?? ''
  return (
    <Page title={words.title}>
      <p>{words.help}</p>
      <ConsumerFilter consumer={consumer} onChange={(next) => setSearch(next === '' ? {} : { consumer: next }, { replace: true })} />
      <DeadLetters
        path="/dashboard/dead-letters"
        asked={{ consumer }}
        what={({ messageId }) =>
          messageId === null ? null : (
            <Link to={paths.message(slug, messageId)}>
              {find.message} <bdi dir="ltr">{messageId}</bdi>
            </Link>
          )
        }
      />
    </Page>
  )
}

function ConsumerFilter({ consumer, onChange }: Readonly<{ consumer: string; onChange: (consumer: string) => void }>) {
  const { deadLetters: words } = useWords()
  const { data: found = [], error, refetch } = useConsumers()
  const known = found.map((one) => ({ value: one.consumer, label: words.ofConsumer(one.consumer, one.letters) }))
  const isNamed = consumer === '' || found.some((one) => one.consumer === consumer)
  return (
    <search>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      <NativeSelect
        label={words.consumer}
        value={consumer}
        data={[{ value: '', label: words.all }, ...known, ...(isNamed ? [] : [{ value: consumer, label: consumer }])]}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </search>
  )
}
