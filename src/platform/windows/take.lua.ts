/**
 * Judges all windows of a request in one step, by the clock of the Redis server, so that every
 * machine has the same. KEYS: one a window. ARGV: limit and length in ms of each.
 * Answers { now, allowed, count and end of each window }.
 */
export const TAKE_SCRIPT = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local counts, ends, allowed = {}, {}, 1
for i = 1, #KEYS do
  local found = redis.call('HMGET', KEYS[i], 'n', 'e')
  local count, endsAt = tonumber(found[1]) or 0, tonumber(found[2]) or 0
  local length = tonumber(ARGV[2 * i])
  if endsAt <= now or endsAt > now + length then
    count, endsAt = 0, now + length
  end
  if count >= tonumber(ARGV[2 * i - 1]) then allowed = 0 end
  counts[i], ends[i] = count, endsAt
end
local answer = { now, allowed }
for i = 1, #KEYS do
  if allowed == 1 then
    counts[i] = counts[i] + 1
    redis.call('HSET', KEYS[i], 'n', counts[i], 'e', ends[i])
    redis.call('PEXPIREAT', KEYS[i], ends[i])
  end
  answer[#answer + 1] = counts[i]
  answer[#answer + 1] = ends[i]
end
return answer
`;

/**
 * Takes a counted request back. KEYS: one a window. ARGV: the end of each as it was answered; a
 * window with another end has been opened since and is left alone.
 */
export const GIVE_BACK_SCRIPT = `
for i = 1, #KEYS do
  local found = redis.call('HMGET', KEYS[i], 'n', 'e')
  local count = tonumber(found[1]) or 0
  if count > 0 and tonumber(found[2]) == tonumber(ARGV[i]) then
    if count == 1 then redis.call('DEL', KEYS[i]) else redis.call('HINCRBY', KEYS[i], 'n', -1) end
  end
end
return 1
`;
