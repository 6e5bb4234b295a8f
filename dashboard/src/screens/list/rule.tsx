import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { Rule } from '@tidings/domain'
import { parseRule } from '@tidings/domain'
import { Link } from 'react-router'
import type { EditedList } from '../../api/calls.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { Facts } from '../../ui/facts.tsx'
import { History } from '../../ui/history.tsx'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'
import { useWords } from '../../words/words.tsx'
import { keyOf, pathOf } from './list.api.ts'

const asText = (rule: unknown): string => JSON.stringify(rule, null, 2)

/** The rule of a dynamic list in words, how far it is, and how it was before. */
export function ListRule({ list }: Readonly<{ list: EditedList }>) {
  const { rules: words, lists, template } = useWords()
  const slug = useSlug()
  const queries = useQueryClient()
  if (list.rule === null) return null
  return (
    <>
      <Section title={lists.rule}>
        <p>{lists.byRule}</p>
        <InWords rule={parseRule(list.rule)} />
        <Run list={list} />
        <div>
          <Button variant="default" component={Link} to={paths.listRule(slug, list.id)}>
            {words.change}
          </Button>
        </div>
      </Section>
      <Section title={template.history}>
        <History<EditedList, unknown>
          path={pathOf(list.id)}
          queryKey={keyOf(list.id)}
          record={list}
          now={asText(list.rule)}
          asText={asText}
          isSaved
          onRestored={(restored) => queries.setQueryData(keyOf(list.id), restored)}
        />
      </Section>
    </>
  )
}

function InWords({ rule }: Readonly<{ rule: Rule }>) {
  const { rules: words, ui } = useWords()
  if ('field' in rule) {
    const { field, op, value } = rule
    const texts = typeof value === 'object' ? value : [value]
    return (
      <>
        <bdi dir="ltr">{field}</bdi> {words.ops[op]}{' '}
        {texts.map((text, index) => (
          <span key={String(text)}>
            {index > 0 && ', '}
            <bdi>{typeof text === 'boolean' ? (text ? ui.yes : ui.no) : String(text)}</bdi>
          </span>
        ))}
      </>
    )
  }
  const parts = 'all' in rule ? rule.all : rule.any
  return (
    <>
      {'all' in rule ? words.all : words.any}
      <ul>
        {parts.map((part) => (
          <li key={JSON.stringify(part)}>
            <InWords rule={part} />
          </li>
        ))}
      </ul>
    </>
  )
}

function Run({ list: { run, version, changedAt, changedBy } }: Readonly<{ list: EditedList }>) {
  const { lists: words, locale } = useWords()
  const changed = (
    <>
      {words.ruleVersion(version)}, <bdi dir="ltr">{changedBy}</bdi>, <Time at={changedAt} />
    </>
  )
  if (run === null || run.version < version)
    return (
      <Facts
        items={[
          [words.changed, changed],
          [words.run, words.notBegun],
        ]}
      />
    )
  const isDone = run.finishedAt !== null
  return (
    <Facts
      items={[
        [words.changed, changed],
        [words.run, isDone ? <Time key="run" at={run.finishedAt} /> : words.running],
        [words.compared, run.contacts.toLocaleString(locale)],
        [words.moved, run.changes.toLocaleString(locale)],
        [words.next, run.isTimed ? words.withTime : words.withChange],
      ]}
    />
  )
}
