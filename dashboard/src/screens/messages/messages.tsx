import { Button } from '@mantine/core'
import { useSearchParams } from 'react-router'
import { queryOf } from '../../api/calls.ts'
import { useSlug } from '../../app/session.ts'
import { Empty } from '../../ui/empty.tsx'
import { FoundMessages } from '../../ui/found-messages.tsx'
import { Page } from '../../ui/page.tsx'
import { useWords } from '../../words/words.tsx'
import { FILTERS, type Filter, type Filtered, Filters } from './filters.tsx'

/** What is looked for stands in the address: it can be kept and sent to a colleague. */
function useAsked() {
  const [search, setSearch] = useSearchParams()
  const given = FILTERS.flatMap((name): (readonly [Filter, string])[] => {
    const value = search.get(name) ?? ''
    return value === '' ? [] : [[name, value]]
  })
  const change = (changes: Filtered): void =>
    setSearch(
      (current) => {
        const changed = new URLSearchParams(current)
        for (const [name, value] of Object.entries(changes)) value === '' ? changed.delete(name) : changed.set(name, value)
        return changed
      },
      { replace: true },
    )
  return { asked: Object.fromEntries(given) as Filtered, change }
}

/** Messages by what they are, whose they are and what sent them, newest first. */
export function Component() {
  const { messages } = useWords()
  const slug = useSlug()
  const { asked, change } = useAsked()
  const { template = '', campaign = '', flow = '', ...others } = asked
  const query = { ...others, templateId: template, campaignId: campaign, flowId: flow }
  const isFiltered = Object.keys(asked).length > 0
  const clear = (): void => change(Object.fromEntries(FILTERS.map((name) => [name, ''])))
  const empty = isFiltered ? (
    <Empty
      text={messages.noMatch}
      action={
        <Button variant="default" onClick={clear}>
          {messages.clear}
        </Button>
      }
    />
  ) : (
    <Empty text={messages.empty} />
  )
  return (
    <Page title={messages.title}>
      <Filters asked={asked} onChange={change} />
      <FoundMessages key={queryOf(query)} query={query} slug={slug} label={messages.title} empty={empty} />
    </Page>
  )
}
