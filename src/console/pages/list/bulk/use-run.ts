import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { say } from '../../../parts/dialogs/toasts.js';
import { run, type Done, type Ended, type Work } from './run.js';
import { formatSummary } from './summary.js';

/** The stage of work on many objects. */
export type Stage =
  | { readonly is: 'asking'; readonly error: unknown; readonly trial?: Ended }
  | { readonly is: 'running'; readonly done: Done; readonly isStopping: boolean }
  | { readonly is: 'ended'; readonly ended: Ended };

interface UsedRun {
  readonly stage: Stage;
  readonly start: (work: Work) => void;
  readonly stop: () => void;
}

const NOTHING: Done = { done: 0, refused: 0, refusals: [], unsure: 0 };

/**
 * @param verb the name of the work in the final message
 * @param onDone called when all of it was done
 */
export function useRun(verb: (count: number) => string, onDone: () => void): UsedRun {
  const client = useQueryClient();
  const [stage, setStage] = useState<Stage>({ is: 'asking', error: null });
  const stopper = useRef<AbortController>(undefined);
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
      stopper.current?.abort();
    };
  }, []);
  const work = async (given: Work): Promise<void> => {
    const stop = (stopper.current = new AbortController());
    const onProgress = (done: Done): void =>
      setStage((now) => ({ is: 'running', done, isStopping: now.is === 'running' && now.isStopping }));
    onProgress(NOTHING);
    try {
      const ended = await run(given, stop.signal, onProgress);
      if (given.isTrial === true) {
        setStage({ is: 'asking', error: null, trial: ended });
        return;
      }
      const isWhole = ended.cut === undefined && ended.refused === 0;
      // Also reports the result when another page was opened meanwhile.
      if (isWhole || !isShown.current) say(formatSummary(ended, verb));
      setStage({ is: 'ended', ended });
      if (isWhole) onDone();
    } catch (error) {
      setStage({ is: 'asking', error });
    }
    void client.invalidateQueries();
  };
  return {
    stage,
    start: (given) => void work(given),
    stop: () => {
      stopper.current?.abort();
      setStage((now) => (now.is === 'running' ? { ...now, isStopping: true } : now));
    },
  };
}
