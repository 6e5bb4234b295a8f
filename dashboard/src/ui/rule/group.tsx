import { Button, Group as ButtonRow, NativeSelect } from '@mantine/core'
import { useWords } from '../../words/words.tsx'
import { Condition } from './condition.tsx'
import { type DraftGroup, type DraftPart, mayNest, newCondition, newGroup } from './draft.ts'
import styles from './rule.module.css'

type Props = Readonly<{
  group: DraftGroup
  /** The places of the groups around it, as `2.1`; empty for the first. */
  number: string
  depth: number
  hasRoom: boolean
  onChange: (part: DraftPart) => void
  onRemove: (key: string) => void
}>

/** Conditions and groups of which all or any must hold. */
export function Group({ group, number, depth, hasRoom, onChange, onRemove }: Props) {
  const { rules: words } = useWords()
  const { key, kind, parts } = group
  const add = (part: DraftPart): void => onChange({ ...group, parts: [...parts, part] })
  const name = number === '' ? words.rule : words.group(number)
  const isOnly = depth === 1 && parts.length === 1
  return (
    <section className={styles.group} aria-label={name}>
      <ButtonRow gap="sm" align="end">
        <NativeSelect
          label={name}
          value={kind}
          data={[
            { value: 'all', label: words.all },
            { value: 'any', label: words.any },
          ]}
          onChange={(event) => onChange({ ...group, kind: event.currentTarget.value === 'any' ? 'any' : 'all' })}
        />
        {depth > 1 && (
          <Button variant="default" onClick={() => onRemove(key)} aria-label={words.removeGroup(number)}>
            {words.remove}
          </Button>
        )}
      </ButtonRow>
      {parts.map((part, index) => {
        const place = number === '' ? `${index + 1}` : `${number}.${index + 1}`
        return 'parts' in part ? (
          <Group key={part.key} group={part} number={place} depth={depth + 1} {...{ hasRoom, onChange, onRemove }} />
        ) : (
          <Condition
            key={part.key}
            condition={part}
            number={place}
            onChange={onChange}
            onRemove={isOnly ? null : () => onRemove(part.key)}
          />
        )
      })}
      <ButtonRow gap="sm">
        <Button
          variant="default"
          disabled={!hasRoom}
          title={hasRoom ? '' : words.full}
          onClick={() => add(newCondition())}
          aria-label={words.addConditionTo(name)}
        >
          {words.addCondition}
        </Button>
        {mayNest(depth) && (
          <Button
            variant="default"
            disabled={!hasRoom}
            title={hasRoom ? '' : words.full}
            onClick={() => add(newGroup(kind === 'all' ? 'any' : 'all'))}
            aria-label={words.addGroupTo(name)}
          >
            {words.addGroup}
          </Button>
        )}
      </ButtonRow>
    </section>
  )
}
