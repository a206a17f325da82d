-- The level that hocket plays: a Melting Pot substrate, told exactly, and the same for the same seed.
--
-- It is handed to dmlab2d as text, after a line that sets LEVEL, and adds to Melting Pot's own simulation:
--   * a sorted pairs(), since LuaJIT hashes strings with a key of its own in each VM, and the order of
--     avatars, spawn points and draws would change from one process to the next;
--   * the property `begin`, by which the avatars are placed and the dice are thrown only once a seed is
--     known: a world is built once, copied by fork, and begun in each copy;
--   * WORLD.LAYER (sprites by cell, north up, nothing hidden) and WORLD.TIMERS;
--   * the events `hocket_ate`, `hocket_cleaned`: as Melting Pot's own, with the place.

do
  local raw_next, raw_type, sort = next, type, table.sort

  local function before(a, b)
    local kind_a, kind_b = raw_type(a), raw_type(b)
    if kind_a ~= kind_b then return kind_a < kind_b end
    if kind_a == 'number' or kind_a == 'string' then return a < b end
    return tostring(a) < tostring(b)
  end

  -- Numbers are hashed without a key, so a table of numbers alone is walked in one order everywhere.
  local function numbered(t)
    local size = #t
    return size == 0 or raw_type(raw_next(t, size)) ~= 'string'
  end

  function pairs(t)
    local first = raw_next(t)
    if first == nil or (raw_type(first) == 'number' and numbered(t)) then return raw_next, t, nil end
    local keys, count = {}, 0
    for key in raw_next, t do
      count = count + 1
      keys[count] = key
    end
    sort(keys, before)
    local place = 0
    return function()
      while place < count do
        place = place + 1
        local value = t[keys[place]]
        if value ~= nil then return keys[place], value end
      end
    end, t, nil
  end
end

local modules = 'meltingpot.lua.modules.'
local class = require 'common.class'
local events = require 'system.events'
local properties = require 'common.properties'
local random = require 'system.random'
local tensor = require 'system.tensor'
local api_factory = require(modules .. 'api_factory')
local base_simulation = require(modules .. 'base_simulation')
local library = require(modules .. 'component_library')
local avatar_library = require(modules .. 'avatar_library')
local components = require('meltingpot.lua.levels.' .. LEVEL .. '.components')

local HEADINGS = {N = 0, E = 1, S = 2, W = 3}

local function told(name, avatar, place)
  events:add(name, 'dict', 'seat', avatar:getComponent('Avatar'):getIndex(), 'x', place[1], 'y', place[2])
end

-- The class that a level's apples have is its own where it defines one.
local Edible = components.Edible or library.Edible
local enter = Edible.onEnter
function Edible:onEnter(avatar, contact)
  local live = self.gameObject:getState() == self._liveState
  local place = self.gameObject:getPosition()
  enter(self, avatar, contact)
  if live and contact == 'avatar' then told('hocket_ate', avatar, place) end
end

if components.DirtCleaning then
  local hit = components.DirtCleaning.onHit
  function components.DirtCleaning:onHit(avatar, name)
    local place = self.gameObject:getPosition()
    local stopped = hit(self, avatar, name)
    if stopped then told('hocket_cleaned', avatar, place) end
    return stopped
  end
end

local struck = avatar_library.Zapper.onHit
function avatar_library.Zapper:onHit(avatar, name)
  local place = self.gameObject:getPosition()
  local stopped = struck(self, avatar, name)
  if stopped then
    events:add('hocket_zapped', 'dict', 'seat', avatar:getComponent('Avatar'):getIndex(), 'x', place[1], 'y', place[2],
               'other', self.gameObject:getComponent('Avatar'):getIndex())
  end
  return stopped
end

local Simulation = class.Class(base_simulation.BaseSimulation)
local current

-- Avatars wait for `begin`.
function Simulation:_avatarStart(grid)
  current = self
  self._waitingGrid = grid
end

-- Place everything and throw the dice.
--   start    seed of the start: where avatars stand, and which apples and dirt there are
--   play     seed of all that comes after
--   apples   share of apple sites that bear one, below 0 for the substrate's own start
--   dirt     share of river sites that are dirty, below 0 for the substrate's own start
function Simulation:begin(start, play, apples, dirt)
  random:seed(start)
  Simulation.Base._avatarStart(self, self._waitingGrid)
  local function draw(share) return random:uniformReal(0.0, 1.0) < share end
  for _, object in ipairs(self._variables.gameObjects) do
    if apples >= 0 and (object:hasComponent('AppleGrow') or object:hasComponent('DensityRegrow')) then
      local edible = object:getComponent('Edible')
      local live = draw(apples)
      if live ~= (object:getState() == edible:getLiveState()) then
        object:setState(live and edible:getLiveState() or edible:getWaitState())
      end
    elseif dirt >= 0 and object:hasComponent('DirtTracker') then
      local dirty = draw(dirt)
      if dirty ~= (object:getState() == 'dirt') then
        object:setState(dirty and 'dirt' or 'dirtWait')
      end
    end
  end
  random:seed(play)
  self._waitingGrid:update(random)
end

function Simulation:addObservations(tileSet, world, observations)
  Simulation.Base.addObservations(self, tileSet, world, observations)
  local view = world:createView{layout = self:textMap().layout}
  local layer = view:observationSpec('WORLD.LAYER')
  layer.func = function(grid) return view:observation{grid = grid} end
  observations[#observations + 1] = layer
  local names = table.concat(world:spriteNames(), '\n')
  observations[#observations + 1] = {
      name = 'WORLD.SPRITE_NAMES', type = 'String', shape = {0}, func = function(grid) return names end}
  -- One row a seat: frames until it can zap and until it can clean, reward of this frame. Of what is no
  -- sprite, this is cheap to ask for, as nothing here leaves Lua.
  local count = self:getNumPlayers()
  local timers = tensor.Int32Tensor(count, 3)
  local rows
  observations[#observations + 1] = {
      name = 'WORLD.TIMERS', type = 'tensor.Int32Tensor', shape = {count, 3},
      func = function(grid)
        if not rows then
          rows = {}
          for index = 1, count do
            local object = self:getAvatarFromIndex(index)
            rows[index] = {
                zapper = object:getComponent('Zapper'), avatar = object:getComponent('Avatar'),
                cleaner = object:hasComponent('Cleaner') and object:getComponent('Cleaner')}
          end
        end
        local values = {}
        for index = 1, count do
          local row = rows[index]
          values[index] = {
              row.zapper._coolingTimer, row.cleaner and row.cleaner._coolingTimer or 0, row.avatar:getReward()}
        end
        timers:val(values)
        return timers
      end}
  -- The same as the sprites from the other side, for tests: x, y, heading (0 to 3 for N, E, S, W) and whether
  -- it is in the game, of every seat.
  local avatars = tensor.Int32Tensor(count, 4)
  observations[#observations + 1] = {
      name = 'WORLD.AVATARS', type = 'tensor.Int32Tensor', shape = {count, 4},
      func = function(grid)
        for index = 1, count do
          local object = self:getAvatarFromIndex(index)
          local place, alive = object:getPosition(), object:getComponent('Avatar'):isAlive()
          avatars(index):val{place[1], place[2], HEADINGS[object:getOrientation()], alive and 1 or 0}
        end
        return avatars
      end}
  -- And x, y, kind (1 apple, 2 dirt) and whether it is there, of every
  -- object that can be an apple or dirt.
  local sites = {}
  for _, object in ipairs(self._variables.gameObjects) do
    local kind = (object:hasComponent('DensityRegrow') or object:hasComponent('AppleGrow')) and 1
        or object:hasComponent('DirtTracker') and 2
    if kind then sites[#sites + 1] = {object, kind} end
  end
  local objects = tensor.Int32Tensor(#sites, 4)
  observations[#observations + 1] = {
      name = 'WORLD.OBJECTS', type = 'tensor.Int32Tensor', shape = {#sites, 4},
      func = function(grid)
        for row, site in ipairs(sites) do
          local place, state = site[1]:getPosition(), site[1]:getState()
          objects(row):val{place[1], place[2], site[2], (state == 'apple' or state == 'dirt') and 1 or 0}
        end
        return objects
      end}
end

properties.addWriteOnly('begin', function(value)
  local start, play, apples, dirt = value:match('^(%d+) (%d+) (%S+) (%S+)$')
  current:begin(tonumber(start), tonumber(play), tonumber(apples), tonumber(dirt))
end)

return api_factory.apiFactory{
    Simulation = Simulation,
    settings = {spriteSize = 8, maxEpisodeLengthFrames = 1000, simulation = {}},
}
