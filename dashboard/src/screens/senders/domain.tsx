import { Button, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useId } from 'react'
import type { SenderDomainStatus } from '../../api/calls.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { useWords } from '../../words/words.tsx'
import { DnsRecords } from './dns-records.tsx'
import { useCheckDomain, useChooseKey, useNewKey } from './senders.api.ts'
import styles from './senders.module.css'

/** `lost`: it was proved once, and its record did not come back. */
const statusOf = ({ verified, proof }: SenderDomainStatus): string => {
  if (verified) return 'verified'
  return proof === 'lost' ? 'lost' : 'pending'
}

/** One domain: whether mail may be sent from it, what to publish, and what DNS said. */
export function Domain({ sender }: Readonly<{ sender: SenderDomainStatus }>) {
  const { senders: words } = useWords()
  const id = useId()
  const checking = useCheckDomain()
  const { domain, by, missingSince, blocklisted, listedIn, signedUnder, records, checkedAt } = sender
  return (
    <section className={styles.domain} aria-labelledby={id}>
      <div className={styles.head}>
        <h3 id={id}>
          <bdi dir="ltr">{domain}</bdi>
        </h3>
        <Status word={statusOf(sender)} />
        {blocklisted && <Status word="blocklisted" />}
        <Button size="compact-sm" loading={checking.isPending} onClick={() => checking.mutate(domain)}>
          {words.check}
        </Button>
      </div>
      {checking.error && <Problem error={checking.error} />}
      <Facts
        items={[
          [words.saidBy, words.by[by]],
          ...(missingSince === null ? [] : [[words.missingSince, <Time key="missing" at={missingSince} />] as const]),
          ...(listedIn.length === 0
            ? []
            : [
                [
                  words.listedIn,
                  <bdi key="listed" dir="ltr">
                    {listedIn.join(', ')}
                  </bdi>,
                ] as const,
              ]),
          [words.signedUnder, signedUnder === null ? words.byRelay : <bdi dir="ltr">{signedUnder}</bdi>],
          [words.checked, checkedAt === null ? words.notChecked : <Time at={checkedAt} />],
        ]}
      />
      <DnsRecords domain={domain} records={records} />
      <DkimKeys sender={sender} />
    </section>
  )
}

/** A key is made, published, and then signs. */
function DkimKeys({ sender }: Readonly<{ sender: SenderDomainStatus }>) {
  const { senders: words } = useWords()
  const [isEnding, { open, close }] = useDisclosure(false)
  const making = useNewKey()
  const choosing = useChooseKey()
  const ending = useChooseKey(close)
  const waiting = sender.records.find(({ kind, selector }) => kind === 'dkim' && selector !== sender.signedUnder)?.selector ?? null
  const error = making.error ?? choosing.error
  return (
    <>
      {error && <Problem error={error} />}
      <Group gap="xs">
        {waiting !== null && (
          <Button
            variant="default"
            size="compact-sm"
            loading={choosing.isPending}
            onClick={() => choosing.mutate({ ...sender, selector: waiting })}
          >
            {words.signUnder(waiting)}
          </Button>
        )}
        <Button variant="default" size="compact-sm" loading={making.isPending} onClick={() => making.mutate(sender)}>
          {words.newKey}
        </Button>
        {sender.signedUnder !== null && (
          <Button variant="default" size="compact-sm" onClick={open}>
            {words.signNoMore}
          </Button>
        )}
      </Group>
      <Confirm
        opened={isEnding}
        title={words.signNoMoreTitle}
        verb={words.signNoMore}
        pending={ending.isPending}
        error={ending.error}
        onConfirm={() => ending.mutate({ ...sender, selector: null })}
        onClose={close}
      >
        <bdi dir="ltr">{sender.domain}</bdi>: {words.signNoMoreHelp}
      </Confirm>
    </>
  )
}
