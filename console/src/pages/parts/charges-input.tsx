// The input of a plan's charges: a meter, a name and a price model each. Its value is the JSON of what was typed.

import type { Meter } from "../../lib/api.js";
import type { CustomProps } from "../../parts/fields.js";
import { MODELS, newDraft, newTier, type Draft, type Model, type TierDraft } from "./charges.js";

/** At most so many charges has a plan. */
const MOST = 20;

export const draftsOf = (value: unknown): Draft[] => JSON.parse(String(value)) as Draft[];

export function chargesInput(meters: readonly Meter[]) {
  return function ChargesInput({ id, value, change, errorsAt }: CustomProps) {
    const drafts = draftsOf(value);
    const set = (next: readonly Draft[]): void => change(JSON.stringify(next));
    const replace = (at: number, draft: Draft): void => set(drafts.map((known, place) => (place === at ? draft : known)));
    const offered = meters.filter((meter) => meter.is_active || drafts.some(({ meter_id }) => meter_id === meter.id));
    const isInvalid = errorsAt("").length > 0;
    return (
      <fieldset class="field" aria-describedby={isInvalid ? `${id}-error` : undefined}>
        <legend>Charges</legend>
        {drafts.map((draft, at) => (
          <ChargeInput
            key={at}
            id={`${id}-${at}`}
            name={`Charge ${at + 1}`}
            draft={draft}
            meters={offered}
            errorsAt={(place) => errorsAt(`/${at}${place}`)}
            change={(next) => replace(at, next)}
            remove={() => set(drafts.filter((_, place) => place !== at))}
          />
        ))}
        {offered.length === 0 ? (
          <small class="hint">A charge prices what a meter counts. Create a meter first.</small>
        ) : (
          drafts.length < MOST && (
            <div>
              <button type="button" id={id} onClick={() => set([...drafts, newDraft(offered[0]?.id ?? "")])}>
                Add charge
              </button>
            </div>
          )
        )}
        {isInvalid && <ErrorText id={`${id}-error`} errors={errorsAt("")} />}
      </fieldset>
    );
  };
}

interface ChargeProps {
  id: string;
  name: string;
  draft: Draft;
  meters: readonly Meter[];
  errorsAt: (place: string) => readonly string[];
  change: (draft: Draft) => void;
  remove: () => void;
}

function ChargeInput({ id, name, draft, meters, errorsAt, change, remove }: ChargeProps) {
  const setTier = (at: number, tier: TierDraft): void => change({ ...draft, tiers: draft.tiers.map((known, place) => (place === at ? tier : known)) });
  // Errors of parts that have no input.
  const errors = ["", "/tiers", "/package"].flatMap(errorsAt);
  const plain = (member: "name" | "unit_price" | "size" | "price", label: string, place = member as string) => (
    <Text id={`${id}-${member}`} label={label} value={draft[member]} errors={errorsAt(`/${place}`)} isNumber={member !== "name"} change={(value) => change({ ...draft, [member]: value })} />
  );
  return (
    <fieldset class="part" aria-describedby={errors.length > 0 ? `${id}-error` : undefined}>
      <legend>{name}</legend>
      {errors.length > 0 && <ErrorText id={`${id}-error`} errors={errors} />}
      <div class="beside">
        {plain("name", "Charge name")}
        <Choice id={`${id}-meter`} label="Meter" value={draft.meter_id} errors={errorsAt("/meter_id")} options={meters.map((meter) => [meter.id, meter.name])} change={(meter_id) => change({ ...draft, meter_id })} />
      </div>
      <Choice id={`${id}-model`} label="Model" value={draft.model} errors={errorsAt("/model")} options={Object.entries(MODELS)} change={(model) => change({ ...draft, model: model as Model })} />
      {draft.model === "per_unit" && plain("unit_price", "Unit price")}
      {draft.model === "package" && (
        <div class="beside">
          {plain("size", "Package size", "package/size")}
          {plain("price", "Package price", "package/price")}
        </div>
      )}
      {(draft.model === "graduated" || draft.model === "volume") && (
        <>
          {draft.tiers.map((tier, at) => (
            <TierInput
              key={at}
              id={`${id}-tier-${at}`}
              number={at + 1}
              isLast={at === draft.tiers.length - 1}
              tier={tier}
              errorsAt={(place) => errorsAt(`/tiers/${at}${place}`)}
              change={(next) => setTier(at, next)}
              remove={draft.tiers.length > 1 ? () => change({ ...draft, tiers: draft.tiers.filter((_, place) => place !== at) }) : undefined}
            />
          ))}
          <div>
            <button type="button" onClick={() => change({ ...draft, tiers: [...draft.tiers, newTier()] })}>
              Add tier
            </button>
          </div>
        </>
      )}
      <div>
        <button type="button" class="danger" aria-label={`Remove ${name.toLowerCase()}`} onClick={remove}>
          Remove charge
        </button>
      </div>
    </fieldset>
  );
}

interface TierProps {
  id: string;
  number: number;
  isLast: boolean;
  tier: TierDraft;
  errorsAt: (place: string) => readonly string[];
  change: (tier: TierDraft) => void;
  remove: (() => void) | undefined;
}

function TierInput({ id, number, isLast, tier, errorsAt, change, remove }: TierProps) {
  const text = (member: keyof TierDraft, label: string) => (
    <Text id={`${id}-${member}`} label={label} value={tier[member]} errors={errorsAt(`/${member}`)} isNumber change={(value) => change({ ...tier, [member]: value })} />
  );
  return (
    <fieldset class="part">
      <legend>Tier {number}</legend>
      <div class="beside">
        {isLast ? <p class="faint">All above</p> : text("up_to", "Up to")}
        {text("unit_price", "Unit price")}
        {text("flat_price", "Flat price")}
      </div>
      {remove !== undefined && (
        <div>
          <button type="button" aria-label={`Remove tier ${number}`} onClick={remove}>
            Remove tier
          </button>
        </div>
      )}
    </fieldset>
  );
}

interface TextProps {
  id: string;
  label: string;
  value: string;
  errors: readonly string[];
  isNumber: boolean;
  change: (value: string) => void;
}

function Text({ id, label, value, errors, isNumber, change }: TextProps) {
  const isInvalid = errors.length > 0;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        inputMode={isNumber ? "decimal" : "text"}
        value={value}
        aria-invalid={isInvalid ? true : undefined}
        aria-describedby={isInvalid ? `${id}-error` : undefined}
        onInput={(event) => change(event.currentTarget.value)}
      />
      {isInvalid && <ErrorText id={`${id}-error`} errors={errors} />}
    </div>
  );
}

function Choice({ id, label, value, options, errors, change }: { id: string; label: string; value: string; options: readonly (readonly [string, string])[]; errors: readonly string[]; change: (value: string) => void }) {
  const isInvalid = errors.length > 0;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        aria-invalid={isInvalid ? true : undefined}
        aria-describedby={isInvalid ? `${id}-error` : undefined}
        onChange={(event) => change(event.currentTarget.value)}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
      {isInvalid && <ErrorText id={`${id}-error`} errors={errors} />}
    </div>
  );
}

function ErrorText({ id, errors }: { id: string; errors: readonly string[] }) {
  return (
    <small id={id} class="error" dir="auto">
      {errors.join(" ")}
    </small>
  );
}
