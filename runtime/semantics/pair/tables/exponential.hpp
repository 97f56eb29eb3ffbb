// Of the exponential function. Written by generate/tables.py, which says how and how exact.
#pragma once

#include "runtime/semantics/pair/limb.hpp"

// clang-format off

namespace cairn::semantics::pair {
inline namespace CAIRN_PAIR_BUILD {

/// 2^(j/64), in three limbs each.
template <class T>
struct PowersOfTwo;
template <>
struct PowersOfTwo<float> {
  static constexpr float limbs[] = {
    0x1p0F, 0.0F, 0.0F, 0x40b269p-22F, -0xc43fdp-47F, 0xee6f7dp-76F, 0x82cd87p-23F, -0xcea7a9p-48F, 0x875cf9p-73F,
    0x843a29p-23F, -0xf14c87p-49F, 0x461af9p-79F, 0x85aac3p-23F, 0xcf9891p-48F, -0x9d6747p-76F, 0x438fb1p-22F,
    -0x696173p-47F, 0x8081d1p-74F, 0x88980fp-23F, -0xfeda4bp-48F, 0xa4ebbfp-76F, 0x8a14d5p-23F, 0x75496fp-47F,
    -0x997dfdp-77F, 0x45cae1p-22F, -0xe0aba1p-50F, -0x48c821p-74F, 0x8d1adfp-23F, 0xb6fcb7p-48F, 0xa796d3p-73F,
    0x47521dp-22F, -0xe97465p-48F, -0xb0ff49p-73F, 0x240c77p-21F, 0x8628cdp-48F, 0xc771ddp-73F, 0x91c3d3p-23F,
    0x39d589p-46F, -0xf327c1p-73F, 0x935a2bp-23F, 0x2f13e7p-47F, -0x5b50b3p-73F, 0x94f4fp-19F, -0x570109p-47F,
    0x9612e9p-75F, 0x96942dp-23F, 0xdc8061p-49F, 0xd00247p-74F, 0x9837fp-19F, 0xa31b71p-48F, 0xa5bd1bp-73F,
    0x4cf023p-22F, -0xd9be9p-44F, -0x59b1bdp-75F, 0x4dc69dp-22F, -0x8c5563p-48F, -0xab1d75p-73F, 0x4e9f6dp-22F,
    -0xb1a601p-48F, 0xdd4379p-73F, 0x4f7a99p-22F, 0x6091a1p-47F, 0x8d6d05p-74F, 0xa0b051p-23F, 0xfb9715p-51F,
    -0xf79b49p-81F, 0xa27043p-23F, 0x61892dp-52F, 0xc4dbdp-78F, 0x521a8bp-22F, -0xa3ec33p-48F, 0x4f068fp-78F,
    0xa5fed7p-23F, -0x564eafp-47F, 0xe3a873p-73F, 0x29f365p-21F, -0x4b169bp-47F, 0xd5a67bp-73F, 0xa9a15bp-23F,
    -0x12c561p-45F, 0x77c2a1p-74F, 0x55bd1dp-22F, -0x4a56c1p-47F, -0x599135p-72F, 0xad583fp-23F, -0x56f57bp-49F,
    0x158c93p-72F, 0xaf3b79p-23F, -0xa52debp-48F, -0xf22c83p-73F, 0x5891fbp-22F, -0x1f8b55p-45F, 0x963e1fp-73F,
    0x2cc471p-21F, 0x954889p-50F, 0x4893edp-75F, 0xb504f3p-23F, 0x67f3bdp-48F, -0x36f74dp-72F, 0x5b7ec9p-22F,
    -0x39ae5dp-48F, -0x86ef8fp-75F, 0xb8fbafp-23F, 0x8ec5f7p-48F, 0x3dd237p-72F, 0xbaff5bp-23F, -0x9bd983p-48F,
    -0xe8122dp-73F, 0x2f4229p-21F, -0x1829fdp-45F, 0x6d7d51p-72F, 0x5f8bcdp-22F, -0x49858dp-47F, 0x841741p-74F,
    0xc12c4dp-23F, -0x6b331fp-48F, 0x5159f1p-73F, 0xc346cdp-23F, -0x4bb6d1p-48F, -0xdfc6f9p-74F, 0x62b395p-22F,
    0x8aa837p-50F, -0xa4583bp-76F, 0xc78d75p-23F, -0xdd5119p-49F, -0x3a8cfbp-73F, 0x64dcdfp-22F, -0x7991d1p-47F,
    0x27a281p-71F, 0xcbec15p-23F, -0x436361p-53F, 0xb9e921p-80F, 0x338923p-21F, 0x2a3f09p-48F, 0x71f11bp-78F,
    0x3418cdp-21F, -0x944353p-49F, -0xd35949p-74F, 0x69540fp-22F, -0x6e0ed5p-47F, -0xdd2f6fp-74F, 0xd4f35bp-23F,
    -0x2a1809p-46F, -0x2f0537p-74F, 0xd744fdp-23F, -0x6a52c5p-48F, -0xa85e33p-74F, 0x6cce8bp-22F, -0xf61d41p-49F,
    0x2f6bfdp-72F, 0x1b7f77p-20F, -0x341287p-46F, 0x6eaa7bp-72F, 0xde60f5p-23F, -0xfb43e3p-48F, 0x1123ddp-71F,
    0xe0ccdfp-23F, -0x9eab59p-50F, 0x2220cbp-76F, 0xe33f89p-23F, 0xe57d15p-48F, -0x96bbd9p-73F, 0xe5b907p-23F,
    -0x620df3p-49F, 0x4540f3p-74F, 0x741cb5p-22F, 0x140f13p-45F, -0x239787p-71F, 0xeac0c7p-23F, -0x608b6fp-49F,
    -0x6d12fdp-75F, 0xed4f3p-19F, 0xf6cca1p-50F, 0xb84601p-75F, 0x77f25dp-22F, -0x642325p-47F, -0xa34b9bp-75F,
    0xf28177p-23F, 0xf167ffp-49F, -0x7630bbp-74F, 0xf5257dp-23F, 0x54921bp-49F, 0x6163ddp-74F, 0xf7d0dfp-23F,
    0x730ad1p-47F, 0x7771fdp-72F, 0xfa83b3p-23F, -0x1246ebp-46F, 0xce9f09p-77F, 0x3f4f83p-21F, 0x33d21bp-49F,
    0x5d215p-73F,
  };
};
template <>
struct PowersOfTwo<double> {
  static constexpr double limbs[] = {
    0x1p0, 0.0, 0.0, 0x102c9a3e778061p-52, -0x119083535b085dp-108, -0x19085b0a3d74d5p-162, 0x4166c34c5615dp-50,
    0x1d73e2a475b465p-107, 0x82ffca7c692bfp-161, 0x210e8a30eb379p-49, 0x1186be4bb284ffp-109, 0x115820d96b414fp-163,
    0x10b5586cf9890fp-52, 0x18a62e4adc610bp-106, -0x59f26f5bafdd3p-158, 0x871f61969e8d1p-51, 0x103a1727c57b53p-111,
    -0x15aa76994e9ddbp-165, 0x111301d0125b51p-52, -0xb62881ca24d9dp-105, 0x19d58b988f562dp-161, 0x8a14d575496fp-47,
    -0x997dfcd789b4fp-105, -0x97f3dda63b20bp-159, 0x1172b83c7d517bp-52, -0x8c820dcebc53bp-106, 0x14f2406aa13ffp-157,
    0x11a35beb6fcb75p-52, 0x796d31ed25a39p-105, 0x35a6c30724d5dp-160, 0x8ea4398b45cd5p-51, 0x7805b8028990fp-104,
    0x3d4c5a1103723p-159, 0x9031dc431466bp-51, 0x1dc775814a8495p-107, -0x5e076f05bc7a9p-161, 0x2470f4dceac47p-49,
    0x19b07eb6c70573p-106, -0xa6c4fcd7a997p-156, 0x126b4565e27cddp-52, 0x12bd339940e9d9p-107, 0x1277393a461b77p-162,
    0x129e9df51fdee1p-52, 0x1612e8afad1255p-107, 0x1de5448560469p-159, 0x12d285a6e4030bp-52, 0x10024754db41d5p-106,
    -0x1ee9d8f8cb9307p-162, 0x1306fe0a31b715p-52, 0x5bd1ab48c60b9p-105, 0x17b7b2f09cd0d9p-162, 0x133c08b26416ffp-52,
    0x99390c21b2cd3p-105, -0x1406a2ea6cfc6bp-160, 0x1371a7373aa9cbp-52, -0xb1d755fa17571p-105, 0xc3f1f0928b5fdp-159,
    0x13a7db34e59ff7p-52, -0x15e436d661f5e3p-108, 0xcd858ff8be14bp-162, 0x9ef5326091a11p-51, 0x6b682447c27afp-105,
    -0x1808ba68fa8fb7p-161, 0xa0b0510fb9715p-51, -0x3de6d2386124fp-107, -0x265687d5f8ca3p-163, 0x144e086061892dp-52,
    0x189b7a04ef80dp-107, -0x8561896f1ec91p-165, 0x1486a2b5c13cdp-48, 0x13c1a3b69062fp-104, 0x787baeb9d0ebp-157,
    0x14bfdad5362a27p-52, 0xea1cbd7f62171p-107, 0x1c06c7745c2b39p-165, 0x14f9b2769d2ca7p-52, -0x14b309d25957e3p-106,
    -0x11aa1fd7b685cdp-164, 0xa9a15ab4ea7c1p-51, -0x107abe1db13cadp-107, 0x7e9cce547c853p-161, 0xab7a39b5a93edp-51,
    0x19bb2c011d93adp-106, -0x1ff86852a613ffp-163, 0x15ab07dd485429p-52, 0x16324c054647adp-106,
    -0xba2772837ed7fp-160, 0x2bcede2b5a429p-49, 0xdd37c9840732fp-105, -0xcafcd5bafd3ebp-159, 0x16247eb03a5585p-52,
    -0x1383c17e40b497p-106, 0x15d8e757cfb991p-163, 0x16623882552225p-52, -0x6ed8261d6470dp-104,
    0x14a337f4dc0a3bp-160, 0x16a09e667f3bcdp-52, -0xdee9a09d9322bp-105, 0x157d3e3adec175p-160, 0x16dfb23c651a2fp-52,
    -0x1bbe3a683c88abp-109, 0x34b3f11577cefp-164, 0x5c7dd7a3b17ddp-50, -0x116e4786887a99p-107,
    -0x1269796953a4c3p-161, 0x175feb564267c9p-52, -0x10245957316dd3p-106, -0x31f1cff433cbdp-157,
    0x17a11473eb0187p-52, -0x141577ee04992fp-107, -0x5085ea4cb4435p-163, 0xbf1799b67a731p-51, 0x82e815d0abcbfp-107,
    0x170a1427f8fcdfp-164, 0x182589994cce13p-52, -0x3a983ba82a65bp-103, 0x10f6ad65cbbac1p-164, 0x1868d99b4492edp-52,
    -0xfe37c4dea7b5dp-105, -0x1f16f65181d921p-161, 0x18ace5422aa0dbp-52, 0x16e9f156864b27p-106,
    -0x130644a7836333p-162, 0xc78d74c8abb9bp-51, 0x57304e8b8e5dbp-105, 0x13bf26d2b85163p-166, 0x193737b0cdc5e5p-52,
    -0x5d7f1e06d5fafp-107, 0xb4bf12bd606d9p-162, 0x197d829fde4e5p-48, -0x1d185b7c1b85d1p-106, 0x17edb9d7144b6fp-160,
    0x19c49182a3f09p-48, 0xe3e235838f95fp-107, 0x58ddade50c217p-160, 0x1a0c667b5de565p-52, -0x1359495d1cd533p-106,
    0x1354084551b4fbp-161, 0x1a5503b23e255dp-52, -0x1d2f6edb8d41e1p-106, -0x37faf5bfac7e9p-160, 0x1a9e6b5579fdbfp-52,
    0x10fac90ef7fd31p-106, 0x18b16ae39e8cb9p-161, 0x1ae89f995ad3adp-52, 0x17a1cd345dcc81p-106, 0xd3fde1d733af5p-159,
    0x1b33a2b84f15fbp-52, -0x2500bc6109ae1p-106, 0x12babc0edda4d9p-163, 0x1b7f76f2fb5e47p-52, -0x15584f7e54ac3bp-108,
    0xd532240f0d5b9p-162, 0xde60f4825e0e9p-51, 0x48f741e8b67a1p-105, 0x3342c80a1c24bp-158, 0x70666f76154a7p-50,
    0x111065895048ddp-107, 0xccf28892c946dp-161, 0x1c67f12e57d14bp-52, 0x12884dff483cadp-106, -0xfe226194eae59p-160,
    0x1cb720dcef9069p-52, 0x1503cbd1e949dbp-108, 0xec3b2ab358197p-161, 0x741cb5281e25fp-50, -0x72f0dd0de5ea7p-104,
    -0xf382201ced07bp-159, 0x1d5818dcfba487p-52, 0x12ed02d75b3707p-107, -0x6ac14ec154c7fp-161, 0x1da9e603db3285p-52,
    0xe118034b6da99p-105, 0x17f6246f0ec615p-160, 0x1dfc97337b9b5fp-52, -0x4697353c612d7p-104, 0xdb912d4a277ebp-159,
    0xf281773c59ffbp-51, 0x139e8980a9cc8fp-107, 0x23d2596785a4fp-158, 0xf5257d152486dp-51, -0x1e9c23179c2893p-106,
    -0xfe079215df9efp-160, 0x1efa1bee615a27p-52, 0x1dc7f486a4b6bp-102, 0x1f6dd5d229ff69p-160, 0x7d41d96db915p-46,
    0x19d3e12dd8a18bp-106, -0x14019bffc80ef3p-162, 0x3f4f83033d21bp-49, 0xba429f9d2c98fp-106, 0x1dc060c36f7651p-164,
  };
};

/// (ln 2)/64, ln 10 and ln 2.
template <class T>
struct ExponentialStep;
template <>
struct ExponentialStep<float> {
  static constexpr float limbs[] = {
    0x162e43p-27F, -0x105c61p-55F, -0x32a1b1p-81F, 0x49aec7p-21F, -0x89555dp-48F, -0x9f48adp-73F, 0x162e43p-21F,
    -0x105c61p-49F, -0x32a1b1p-75F,
  };
};
template <>
struct ExponentialStep<double> {
  static constexpr double limbs[] = {
    0x162e42fefa39efp-59, 0x1abc9e3b39803fp-114, 0x5ed5e81e6864dp-167, 0x935d8dddaaa8bp-50, -0x1f48ad494ea3e9p-105,
    -0x67aeb8eb80983p-157, 0x162e42fefa39efp-53, 0x1abc9e3b39803fp-108, 0x5ed5e81e6864dp-161,
  };
};

/// 64/(ln 2).
template <class T>
struct ExponentialScale;
template <>
struct ExponentialScale<float> {
  static constexpr float value = 0xb8aa3bp-17F;
};
template <>
struct ExponentialScale<double> {
  static constexpr double value = 0xb8aa3b295c17fp-45;
};

/// (expm1(r) - r)/r^2.
template <class T>
struct ExponentialTail;
// Error at most 0.0018 u^2.
template <>
struct ExponentialTail<float> {
  static constexpr int count = 5;
  static constexpr int first = 3;
  static constexpr float coefficients[] = {
    0x1p-1F, 0.0F, 0xaaaaabp-26F, -0xaaaaabp-51F, 0xaaaaabp-28F, -0xaaaaabp-53F, 0x888889p-30F, 0xb60b61p-33F,
  };
};
// Error at most 7.1e-5 u^2.
template <>
struct ExponentialTail<double> {
  static constexpr int count = 11;
  static constexpr int first = 6;
  static constexpr double coefficients[] = {
    0x1p-1, 0.0, 0x15555555555555p-55, 0x15555555555555p-109, 0x15555555555555p-57, 0x15555555555555p-111,
    0x11111111111111p-59, 0x11111111111111p-115, 0x16c16c16c16c17p-62, -0x1f49f49f49f49fp-117, 0xd00d00d00d00dp-64,
    0xd00d00d00d00dp-124, 0xd00d00d00d00dp-67, 0x5c778e955b1cdp-69, 0x49f93edde27d7p-72, 0x6b99159fd5139p-76,
    0x23ddb1dff1b13p-78,
  };
};

}  // namespace CAIRN_PAIR_BUILD
}  // namespace cairn::semantics::pair
